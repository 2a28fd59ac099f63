package io.delayqueue.outbox.autoconfigure;

import io.delayqueue.outbox.jdbc.JdbcOutbox;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the actuator endpoint {@code delayqueueoutbox}.
 */
@AutoConfiguration(after = DelayQueueOutboxAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(JdbcOutbox.class)
@ConditionalOnAvailableEndpoint(DelayQueueOutboxEndpoint.class)
public final class DelayQueueOutboxEndpointAutoConfiguration implements AopInfrastructureBean {

	@Bean
	@ConditionalOnMissingBean
	DelayQueueOutboxEndpoint delayQueueOutboxEndpoint(JdbcOutbox outbox) {
		return new DelayQueueOutboxEndpoint(outbox.admin());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(endpoint = DelayQueueOutboxEndpoint.class, exposure = EndpointExposure.WEB)
	DelayQueueOutboxEndpointWebExtension delayQueueOutboxEndpointWebExtension(DelayQueueOutboxEndpoint endpoint) {
		return new DelayQueueOutboxEndpointWebExtension(endpoint);
	}

}
