package io.delayqueue.outbox.autoconfigure;

import io.delayqueue.outbox.jdbc.JdbcOutbox;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health component {@code delayqueueOutbox}.
 */
@AutoConfiguration(after = DelayQueueOutboxAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(JdbcOutbox.class)
@ConditionalOnEnabledHealthIndicator("delayqueue-outbox")
public final class DelayQueueOutboxHealthAutoConfiguration implements AopInfrastructureBean {

	@Bean
	@ConditionalOnMissingBean(name = { "delayqueueOutboxHealthIndicator", "delayqueueOutboxHealthContributor" })
	OutboxHealthIndicator delayqueueOutboxHealthIndicator(JdbcOutbox outbox) {
		return new OutboxHealthIndicator(outbox.admin());
	}

}
