package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.Set;

import io.delayqueue.queue.QueueSettings;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of the actuator endpoint, in addition to the properties of all endpoints.
 *
 * @param showPayloads When to show the payloads of messages.
 * @param roles Roles used to determine whether a user is authorized to be shown payloads.
 * When empty, all authenticated users are authorized.
 * @param maxPayloadSize Maximum size of the part of a payload that is shown; the rest is
 * cut off.
 */
@ConfigurationProperties("management.endpoint.delayqueue")
public record DelayQueueEndpointProperties(@DefaultValue("never") Show showPayloads, @DefaultValue Set<String> roles,
		@DefaultValue("4KB") DataSize maxPayloadSize) implements AopInfrastructureBean {

	/**
	 * Returns the maximum size of the part of a payload that the endpoint shows.
	 * @return the size, 1 byte to 16 MB
	 * @throws InvalidConfigurationException if the property is out of these bounds
	 */
	DataSize checkedMaxPayloadSize() {
		ConfigurationFaults faults = new ConfigurationFaults(List.of());
		faults.check("management.endpoint.delayqueue.max-payload-size", this.maxPayloadSize,
				QueueSettings.MAX_PAYLOAD_SIZE);
		faults.throwIfAny();
		return this.maxPayloadSize;
	}

}
