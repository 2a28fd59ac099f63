package io.delayqueue.autoconfigure;

import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.engine.DelayQueueEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks of the connection settings at startup. No connection is opened.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class ConnectionSettingsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class));

	private final ApplicationContextRunner lettuce = this.runner
		.withPropertyValues("spring.data.redis.client-type=lettuce", "spring.data.redis.lettuce.shutdown-timeout=0ms");

	private final ApplicationContextRunner jedis = this.runner
		.withPropertyValues("spring.data.redis.client-type=jedis");

	@Test
	void defaultCommandTimeoutOfLettuceCausesOneWarning(CapturedOutput output) {
		this.lettuce.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("command timeout of the Redis client is 1m: longer than delayqueue.schedule.deadline (5s)",
					"longer than a third of the visibility timeout (30s)", "Set spring.data.redis.timeout",
					" to 5s or less");
	}

	@Test
	void shortCommandTimeoutOfLettuceCausesNoWarning(CapturedOutput output) {
		this.lettuce.withPropertyValues("spring.data.redis.timeout=5s")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void defaultCommandTimeoutOfJedisCausesNoWarning(CapturedOutput output) {
		this.jedis.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
		assertThat(warnings(output)).isEmpty();
	}

	@Test
	void shortVisibilityTimeoutRequiresShortCommandTimeout(CapturedOutput output) {
		this.jedis.withPropertyValues("delayqueue.queues.orders.visibility-timeout=1s")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("command timeout of the Redis client is 2s: longer than a third of the visibility timeout (1s)",
					" to 333ms or less")
			.doesNotContain("deadline");
	}

	@Test
	void unlimitedCommandTimeoutOfJedisCausesWarning(CapturedOutput output) {
		this.jedis.withPropertyValues("spring.data.redis.timeout=0")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
		assertThat(warnings(output)).singleElement()
			.asString()
			.contains("command timeout of the Redis client is unlimited");
	}

	@ParameterizedTest
	@ValueSource(strings = { "replica-preferred", "replica", "any", "upstream-preferred", "lowest-latency" })
	void readingFromReplicasIsReportedTogetherWithOtherFaults(String from) {
		this.lettuce
			.withPropertyValues("spring.data.redis.lettuce.read-from=" + from, "delayqueue.sweeper.batch-size=0")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.isInstanceOf(InvalidConfigurationException.class)
				.hasMessageContaining("2 fault(s)")
				.hasMessageContaining("spring.data.redis.lettuce.read-from is '")
				.hasMessageContaining("delayqueue.sweeper.batch-size is '0'"));
	}

	@Test
	void readingFromTheMasterIsAccepted() {
		this.lettuce.withPropertyValues("spring.data.redis.lettuce.read-from=upstream")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
	}

	@Test
	void lostCallMeansLostRedisExceptInCluster() {
		this.lettuce.run((context) -> {
			context.getBean(DelayQueueEngine.class).gate().lost(new IllegalStateException("lost"));
			assertThat(context.getBean(DelayQueueEngine.class).gate().isOpen()).isFalse();
		});
		this.lettuce.withUserConfiguration(OwnCluster.class).run((context) -> {
			context.getBean(DelayQueueEngine.class).gate().lost(new IllegalStateException("lost"));
			assertThat(context.getBean(DelayQueueEngine.class).gate().isOpen()).isTrue();
		});
	}

	@Test
	void oneDriverOnTheClassPathIsSufficient() {
		this.jedis.withClassLoader(new FilteredClassLoader("io.lettuce"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
		this.lettuce.withClassLoader(new FilteredClassLoader("redis.clients"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class));
	}

	private static List<String> warnings(CapturedOutput output) {
		return output.getAll().lines().filter((line) -> line.contains("command timeout of the Redis client")).toList();
	}

	/**
	 * A connection factory that is not configured by properties or connection details.
	 */
	@Configuration(proxyBeanMethods = false)
	static class OwnCluster {

		@Bean
		LettuceConnectionFactory connections() {
			return new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:1")));
		}

	}

}
