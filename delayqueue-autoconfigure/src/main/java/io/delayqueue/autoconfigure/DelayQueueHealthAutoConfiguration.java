package io.delayqueue.autoconfigure;

import io.delayqueue.actuate.ConsumedQueues;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.actuate.EvictionWatch;
import io.delayqueue.actuate.RedisPresence;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.server.ServerFaults;
import io.delayqueue.server.ServerInfo;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health component {@code delayqueue}. Spring Boot derives the
 * name of the component from the name of the bean, so the name of the bean begins with
 * {@code delayqueue}, as in the property {@code management.health.delayqueue.enabled}.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnEnabledHealthIndicator("delayqueue")
public final class DelayQueueHealthAutoConfiguration implements AopInfrastructureBean {

	@Bean
	@ConditionalOnMissingBean
	EvictionWatch delayQueueEvictionWatch(DelayQueueEngine engine) {
		return new EvictionWatch(new ServerInfo(engine.calls())::masters, engine.gate(), EvictionWatch.INTERVAL);
	}

	@Bean
	@ConditionalOnMissingBean(name = { "delayqueueHealthIndicator", "delayqueueHealthContributor" })
	DelayQueueHealthIndicator delayqueueHealthIndicator(CheckedProperties properties, DelayQueueEngine engine,
			ServerFaults faults, EvictionWatch eviction, QueueStatistics statistics,
			ObjectProvider<DelayedListenerRegistry> listeners) {
		ConsumedQueues queues = new ConsumedQueues(engine.signals(), engine.gate(),
				() -> listeners.stream().flatMap((registry) -> registry.containers().stream()).toList(), statistics::of,
				engine.fleet()::members);
		return new DelayQueueHealthIndicator(properties.health(), engine.tasks()::statuses,
				new RedisPresence(engine.gate(), engine.calls()::answers, faults::faults,
						engine.calls()::foreignLayouts),
				queues, eviction);
	}

}
