package io.delayqueue.autoconfigure;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.observe.GuardedQueueObserver;
import io.delayqueue.observe.QueueObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueMetricsAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis")
		.withConfiguration(AutoConfigurations.of(DelayQueueMetricsAutoConfiguration.class,
				DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class));

	private final ApplicationContextRunner withRegistry = this.runner
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

	@Test
	void theAutoConfiguredRegistryIsUsedBehindAGuard() {
		this.withRegistry.run((context) -> {
			assertThat(context).hasSingleBean(QueueObserver.class).hasSingleBean(GuardedQueueObserver.class);
			context.getBean(QueueObserver.class).swept("orders", 3);
			assertThat(context.getBean(MeterRegistry.class).get("delayqueue.swept").counter().count()).isEqualTo(3);
		});
	}

	@Test
	void aRegistryOfTheUserIsUsedAsWell() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasSingleBean(GuardedQueueObserver.class));
	}

	@Test
	void withoutARegistryNothingIsObserved() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
			.doesNotHaveBean(QueueObserver.class));
	}

	@Test
	void withoutMicrometerNothingIsObserved() {
		this.withRegistry.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
				.doesNotHaveBean(QueueObserver.class));
	}

	@Test
	void anObserverOfTheUserIsUsedInstead() {
		this.withRegistry.withUserConfiguration(OwnObserver.class)
			.run((context) -> assertThat(context).hasSingleBean(QueueObserver.class).hasBean("ownObserver"));
	}

	@Test
	void theMetersCanBeSwitchedOffLikeAnyOthers() {
		this.withRegistry.withPropertyValues("management.metrics.enable.delayqueue=false").run((context) -> {
			context.getBean(QueueObserver.class).swept("orders", 3);
			assertThat(context.getBean(MeterRegistry.class).find("delayqueue.swept").counter()).isNull();
		});
	}

	@Test
	void switchedOffItLeavesNothing() {
		this.withRegistry.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(QueueObserver.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnObserver {

		@Bean
		QueueObserver ownObserver() {
			return QueueObserver.NONE;
		}

	}

}
