package io.delayqueue.outbox.autoconfigure;

import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the meters of the outbox, if the context has a meter registry.
 */
@AutoConfiguration(after = DelayQueueOutboxAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ JdbcOutbox.class, MeterRegistry.class })
public final class DelayQueueOutboxMetricsAutoConfiguration implements AopInfrastructureBean {

	@Bean
	@ConditionalOnMissingBean
	OutboxMeters delayQueueOutboxMeters(JdbcOutbox outbox) {
		return new OutboxMeters(outbox);
	}

}
