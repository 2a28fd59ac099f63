package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.ConsumedQueues;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.actuate.EvictionWatch;
import io.delayqueue.actuate.HealthSettings;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.ServerInfo;
import io.delayqueue.store.Snapshots;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueHealthAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis")
		.withConfiguration(
				AutoConfigurations.of(DelayQueueHealthAutoConfiguration.class, DelayQueueAutoConfiguration.class,
						DataRedisAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class));

	@Test
	void healthComponentHasTheNameOfItsProperty() {
		this.runner
			.run((context) -> assertThat(context.getBean(HealthContributorRegistry.class).getContributor("delayqueue"))
				.isInstanceOf(DelayQueueHealthIndicator.class));
	}

	@Test
	void canBeDisabledByProperty() {
		this.runner.withPropertyValues("management.health.delayqueue.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
				.doesNotHaveBean(DelayQueueHealthIndicator.class));
	}

	@Test
	void disabledHealthDefaultsDisableComponentUnlessItIsEnabled() {
		ApplicationContextRunner off = this.runner.withPropertyValues("management.health.defaults.enabled=false");
		off.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueHealthIndicator.class));
		off.withPropertyValues("management.health.delayqueue.enabled=true")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueHealthIndicator.class));
	}

	@Test
	void withoutHealthDelayedMessagesWork() {
		this.runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
				.doesNotHaveBean(DelayQueueHealthAutoConfiguration.class));
	}

	@Test
	void indicatorOfTheApplicationReplacesTheDefault() {
		this.runner.withUserConfiguration(OwnIndicator.class)
			.run((context) -> assertThat(context).hasBean("delayqueueHealthIndicator")
				.doesNotHaveBean(DelayQueueHealthIndicator.class));
	}

	@Test
	void disablingDelayedMessagesRemovesAllBeans() {
		this.runner.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueHealthIndicator.class)
				.doesNotHaveBean(EvictionWatch.class)
				.doesNotHaveBean(ConsumedQueues.class)
				.doesNotHaveBean(QueueStatistics.class));
	}

	@Test
	void beansForHealthAreCreated() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(EvictionWatch.class)
			.hasSingleBean(ConsumedQueues.class)
			.hasSingleBean(QueueStatistics.class)
			.hasSingleBean(ServerInfo.class));
	}

	@Test
	void beansOfTheApplicationReplaceTheDefaults() {
		this.runner.withUserConfiguration(OwnParts.class)
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueHealthIndicator.class)
				.hasSingleBean(EvictionWatch.class)
				.hasBean("ownEvictionWatch")
				.hasSingleBean(ConsumedQueues.class)
				.hasBean("ownConsumedQueues")
				.hasSingleBean(QueueStatistics.class)
				.hasBean("ownStatistics")
				.hasSingleBean(ServerInfo.class)
				.hasBean("ownServerInfo"));
	}

	@Test
	void healthPropertiesAreBound() {
		this.runner
			.withPropertyValues("delayqueue.health.max-overdue=7m", "delayqueue.health.tolerated-outage=30s",
					"delayqueue.health.check-eviction=false")
			.run((context) -> assertThat(context.getBean(CheckedProperties.class).health())
				.isEqualTo(new HealthSettings(Duration.ofMinutes(7), Duration.ofSeconds(30), false)));
		this.runner.run((context) -> assertThat(context.getBean(CheckedProperties.class).health())
			.isEqualTo(new HealthSettings(Duration.ofMinutes(5), Duration.ofSeconds(10), true)));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnParts {

		@Bean
		ServerInfo ownServerInfo(RedisCalls calls) {
			return new ServerInfo(calls);
		}

		@Bean
		EvictionWatch ownEvictionWatch(ServerInfo servers, RedisGate gate) {
			return new EvictionWatch(servers::masters, gate, Duration.ofHours(1));
		}

		@Bean
		ConsumedQueues ownConsumedQueues(Signals signals, RedisGate gate) {
			return new ConsumedQueues(signals, gate, List::of, (queue) -> null);
		}

		@Bean
		QueueStatistics ownStatistics(Snapshots snapshots, Queues queues, RedisGate gate) {
			return new QueueStatistics(snapshots, queues, new GatePresence(gate), Duration.ofMinutes(1), Duration.ZERO);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnIndicator {

		@Bean
		HealthIndicator delayqueueHealthIndicator() {
			return () -> Health.up().build();
		}

	}

}
