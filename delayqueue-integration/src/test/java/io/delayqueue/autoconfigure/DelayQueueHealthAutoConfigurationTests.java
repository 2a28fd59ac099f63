package io.delayqueue.autoconfigure;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.actuate.HealthSettings;
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
			.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueHealthIndicator.class));
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
	static class OwnIndicator {

		@Bean
		HealthIndicator delayqueueHealthIndicator() {
			return () -> Health.up().build();
		}

	}

}
