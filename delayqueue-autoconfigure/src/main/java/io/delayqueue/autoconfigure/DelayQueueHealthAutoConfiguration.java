package io.delayqueue.autoconfigure;

import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.store.RedisCalls;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health component {@code delayqueue}. The bean's name makes it
 * that of the component, and so the same word as in the property
 * {@code management.health.delayqueue.enabled} and in the endpoint.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean({ LoopRegistry.class, RedisGate.class, RedisCalls.class })
@ConditionalOnEnabledHealthIndicator("delayqueue")
public final class DelayQueueHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "delayqueueHealthIndicator", "delayqueueHealthContributor" })
	DelayQueueHealthIndicator delayqueueHealthIndicator(LoopRegistry activities, RedisGate gate, RedisCalls calls) {
		return new DelayQueueHealthIndicator(activities, gate, calls);
	}

}
