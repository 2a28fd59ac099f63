package io.delayqueue.autoconfigure;

import io.delayqueue.actuate.ConsumedQueues;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.actuate.EvictionWatch;
import io.delayqueue.actuate.RedisPresence;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.ServerFaults;
import io.delayqueue.store.ServerInfo;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health component {@code delayqueue}. The component is named
 * after the bean, and so matches the property
 * {@code management.health.delayqueue.enabled} and the endpoint.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean({ LoopRegistry.class, RedisGate.class, RedisCalls.class })
@ConditionalOnEnabledHealthIndicator("delayqueue")
public final class DelayQueueHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	EvictionWatch delayQueueEvictionWatch(ServerInfo servers, RedisGate gate) {
		return new EvictionWatch(servers::masters, gate, EvictionWatch.INTERVAL);
	}

	@Bean
	@ConditionalOnMissingBean
	ConsumedQueues delayQueueConsumedQueues(Signals signals, RedisGate gate,
			ObjectProvider<DelayedListenerRegistry> listeners, QueueStatistics statistics) {
		return new ConsumedQueues(signals, gate,
				() -> listeners.stream().flatMap((registry) -> registry.containers().stream()).toList(),
				statistics::of);
	}

	@Bean
	@ConditionalOnMissingBean(name = { "delayqueueHealthIndicator", "delayqueueHealthContributor" })
	DelayQueueHealthIndicator delayqueueHealthIndicator(CheckedProperties properties, LoopRegistry activities,
			RedisGate gate, RedisCalls calls, ServerFaults faults, ConsumedQueues queues, EvictionWatch eviction) {
		return new DelayQueueHealthIndicator(properties.health(), activities,
				new RedisPresence(gate, calls::answers, faults::faults, calls::foreignLayouts), queues, eviction);
	}

}
