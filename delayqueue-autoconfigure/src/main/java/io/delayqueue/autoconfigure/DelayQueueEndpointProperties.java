package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.Set;

import io.delayqueue.queue.QueueSettings;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties of the actuator endpoint, beside those that every endpoint has.
 *
 * @param showPayloads When to show the payloads of messages.
 * @param roles Roles used to determine whether a user is authorized to be shown payloads.
 * When empty, all authenticated users are authorized.
 * @param maxPayloadSize How much of a payload is shown.
 */
@ConfigurationProperties("management.endpoint.delayqueue")
public record DelayQueueEndpointProperties(@DefaultValue("never") Show showPayloads, @DefaultValue Set<String> roles,
		@DefaultValue("4KB") DataSize maxPayloadSize) {

	/**
	 * How much of a payload is shown.
	 * @return 1 byte to 16 MB
	 * @throws InvalidConfigurationException if it is set to anything else
	 */
	DataSize checkedMaxPayloadSize() {
		ConfigurationFaults faults = new ConfigurationFaults(List.of());
		faults.check("management.endpoint.delayqueue.max-payload-size", this.maxPayloadSize,
				QueueSettings.MAX_PAYLOAD_SIZE);
		faults.throwIfAny();
		return this.maxPayloadSize;
	}

}
