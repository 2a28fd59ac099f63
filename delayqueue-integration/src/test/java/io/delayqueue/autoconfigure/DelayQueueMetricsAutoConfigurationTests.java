package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.observe.MicrometerQueueObserver;
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
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DelayQueueMetricsAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=1",
				"delayqueue.schedule.deadline=100ms")
		.withConfiguration(AutoConfigurations.of(DelayQueueMetricsAutoConfiguration.class,
				DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class));

	private final ApplicationContextRunner withRegistry = this.runner
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

	@Test
	void autoConfiguredRegistryIsUsed() {
		this.withRegistry.run((context) -> {
			assertThat(context).hasSingleBean(MicrometerQueueObserver.class);
			observers(context).swept("orders", 3);
			assertThat(context.getBean(MeterRegistry.class).get("delayqueue.swept").counter().count()).isEqualTo(3);
		});
	}

	@Test
	void gaugesOfQueueContentsAreNaNWhileRedisIsUnavailable() {
		this.withRegistry.run((context) -> {
			observers(context).consuming("orders", () -> 4);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("delayqueue.overdue").tag("queue", "orders").gauge().value()).isNaN();
			assertThat(registry.get("delayqueue.in.flight").tag("queue", "orders").gauge().value()).isEqualTo(4);
		});
	}

	@Test
	void singleMeterCanBeDisabled() {
		this.withRegistry.withPropertyValues("management.metrics.enable.delayqueue.overdue=false").run((context) -> {
			observers(context).consuming("orders", () -> 4);
			assertThat(context.getBean(MeterRegistry.class).getMeters()).extracting((meter) -> meter.getId().getName())
				.contains("delayqueue.messages", "delayqueue.swept")
				.doesNotContain("delayqueue.overdue", "delayqueue.overdue.age");
		});
	}

	@Test
	void registryOfTheApplicationIsUsed() {
		this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.run((context) -> assertThat(context).hasSingleBean(MicrometerQueueObserver.class));
	}

	@Test
	void noMetersWithoutRegistry() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
			.doesNotHaveBean("delayQueueMeters"));
	}

	@Test
	void noMetersWithoutMicrometer() {
		this.withRegistry.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
				.doesNotHaveBean("delayQueueMeters"));
	}

	@Test
	void observersOfTheApplicationAreNotifiedInOrderDespiteFailures() {
		this.withRegistry.withUserConfiguration(OwnObservers.class).run((context) -> {
			observers(context).swept("orders", 3);
			assertThat(context.getBean(OwnObservers.class).notified).containsExactly("first", "second");
			assertThat(context.getBean(MeterRegistry.class).get("delayqueue.swept").counter().count()).isEqualTo(3);
		});
	}

	@Test
	void templateNotifiesAllObservers() {
		this.withRegistry.withUserConfiguration(OwnObservers.class).run((context) -> {
			assertThat(context).hasSingleBean(DelayQueueOperations.class);
			context.getBean(OwnObservers.class).notified.clear();
			assertThatExceptionOfType(DelayQueueUnavailableException.class)
				.isThrownBy(() -> context.getBean(DelayQueueOperations.class)
					.schedule("orders", "payload", Duration.ofHours(1)));
			assertThat(context.getBean(OwnObservers.class).notified).containsExactly("not scheduled");
		});
	}

	@Test
	void allMetersCanBeDisabledByPrefix() {
		this.withRegistry.withPropertyValues("management.metrics.enable.delayqueue=false").run((context) -> {
			observers(context).swept("orders", 3);
			observers(context).consuming("orders", () -> 1);
			assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneMatch((meter) -> meter.getId().getName().startsWith("delayqueue"));
		});
	}

	@Test
	void disablingDelayedMessagesRemovesAllBeans() {
		this.withRegistry.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(QueueObserver.class));
	}

	private static QueueObserver observers(ApplicationContext context) {
		return context.getBean(DelayQueueEngine.class).observer();
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnObservers {

		final List<String> notified = new CopyOnWriteArrayList<>();

		@Bean
		@Order(2)
		QueueObserver ownObserver() {
			return new QueueObserver() {

				@Override
				public void swept(String queue, int messages) {
					OwnObservers.this.notified.add("second");
				}

				@Override
				public void notScheduled(String queue, NotScheduled reason) {
					OwnObservers.this.notified.add("not scheduled");
				}

			};
		}

		@Bean
		@Order(1)
		QueueObserver failingObserver() {
			return new QueueObserver() {

				@Override
				public void swept(String queue, int messages) {
					OwnObservers.this.notified.add("first");
					throw new IllegalStateException("no");
				}

			};
		}

	}

}
