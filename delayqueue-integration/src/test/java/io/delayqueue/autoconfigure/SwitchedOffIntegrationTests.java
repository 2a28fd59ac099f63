package io.delayqueue.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.delayqueue.DelayedListener;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * If disabled, the library creates no beans, no threads and no connections.
 */
class SwitchedOffIntegrationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("management.endpoints.web.exposure.include=*")
		.withUserConfiguration(Listener.class)
		.withConfiguration(AutoConfigurations.of(all()))
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void disabledLibraryHasNoBeansThreadsOrConnections(String driver) {
		Set<Thread> before = threads();
		try (RedisServer redis = RedisServer.builder().start(); FaultProxy proxy = FaultProxy.to(redis)) {
			ApplicationContextRunner connected = this.runner.withPropertyValues("spring.data.redis.url=" + proxy.uri(),
					"spring.data.redis.client-type=" + driver);
			connected.withPropertyValues("delayqueue.enabled=false").run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(beans(context)).isEmpty();
				assertThat(threads()).isSubsetOf(before);
				assertThat(proxy.accepted()).isZero();
			});
			connected.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(beans(context)).as("enabled").hasSizeGreaterThan(20);
				assertThat(threads()).as("enabled").isNotEmpty();
				await().until(() -> proxy.accepted() > 0);
			});
		}
	}

	@Test
	void invalidPropertiesDoNotPreventTheStartWhenDisabled() {
		this.runner.withPropertyValues("delayqueue.enabled=false", "delayqueue.sweeper.interval=0s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "no", "off", "FALSE" })
	void everyFalseValueDisablesDelayedMessages(String word) {
		this.runner.withPropertyValues("delayqueue.enabled=" + word)
			.run((context) -> assertThat(beans(context)).isEmpty());
	}

	@Test
	void invalidBooleanPreventsTheStart() {
		this.runner.withPropertyValues("delayqueue.enabled=treu")
			.run((context) -> assertThat(context.getStartupFailure()).hasStackTraceContaining("delayqueue.enabled")
				.hasStackTraceContaining("treu"));
	}

	@Test
	void yesEnablesDelayedMessages() {
		this.runner
			.withPropertyValues("delayqueue.enabled=yes", "delayqueue.startup-checks=off",
					"spring.data.redis.client-type=jedis")
			.run((context) -> assertThat(beans(context)).isNotEmpty());
	}

	/** All auto-configurations of the imports file, so that new ones are tested too. */
	private static Class<?>[] all() {
		return StreamSupport
			.stream(ImportCandidates.load(AutoConfiguration.class, SwitchedOffIntegrationTests.class.getClassLoader())
				.spliterator(), false)
			.filter((name) -> name.startsWith("io.delayqueue."))
			.map((name) -> ClassUtils.resolveClassName(name, null))
			.toArray(Class<?>[]::new);
	}

	private static List<String> beans(ApplicationContext context) {
		return Arrays.stream(context.getBeanDefinitionNames()).filter((name) -> {
			Class<?> type = context.getType(name, false);
			return type != null && type != Listener.class && type.getName().startsWith("io.delayqueue.");
		}).toList();
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("delayqueue-"))
			.collect(Collectors.toSet());
	}

	static class Listener {

		@DelayedListener(queue = "orders")
		void on(String payload) {
		}

	}

}
