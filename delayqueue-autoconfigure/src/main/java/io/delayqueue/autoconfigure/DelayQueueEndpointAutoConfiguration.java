package io.delayqueue.autoconfigure;

import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.DelayQueueEndpointWebExtension;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.Snapshots;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the actuator endpoint, where it is exposed and its access is not
 * {@code none}.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ QueueDirectory.class, Snapshots.class })
@ConditionalOnAvailableEndpoint(DelayQueueEndpoint.class)
public final class DelayQueueEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	DelayQueueEndpoint delayQueueEndpoint(QueueDirectory directory, Snapshots snapshots) {
		return new DelayQueueEndpoint(directory, snapshots);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(endpoint = DelayQueueEndpoint.class, exposure = EndpointExposure.WEB)
	DelayQueueEndpointWebExtension delayQueueEndpointWebExtension(DelayQueueEndpoint endpoint) {
		return new DelayQueueEndpointWebExtension(endpoint);
	}

}
