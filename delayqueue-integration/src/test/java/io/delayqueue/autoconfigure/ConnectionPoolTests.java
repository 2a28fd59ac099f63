package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.redis.DriverSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.ConnectionPoolConfig;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks of the size of the application's connection pool.
 */
class ConnectionPoolTests {

	@ParameterizedTest
	@CsvSource({ "1, 0, 2", "2, 0, 0", "6, 1, 7", "7, 1, 0", "8, 2, 9", "15, 100, 16", "16, 100, 0", "-1, 100, 0",
			", 100, 0" })
	void poolSmallerThanNeededCausesWarning(@Nullable Integer most, int partitions, int needed) {
		DriverSettings driver = new DriverSettings(false, false, null, null, most, null);
		List<QueueSettings> consumed = (partitions > 0) ? List.of(queue(partitions)) : List.of();

		assertThat(new DriverCheck(driver).poolWarning(consumed).orElse(""))
			.matches((needed == 0) ? "" : ".* has at most " + most + " connections, but " + needed
					+ " may be in use at once: .* to " + needed + " or more connections");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void smallPoolOfTheApplicationCausesWarning(CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withUserConfiguration(OwnTemplate.class)
			.run((context) -> assertThat(context).hasNotFailed());

		assertThat(
				output.getAll().lines().filter((line) -> line.contains("at most 1 connections, but 2 may be in use")))
			.hasSize(1);
	}

	private static QueueSettings queue(int partitions) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", partitions, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTemplate {

		@Bean
		JedisConnectionFactory connections() {
			ConnectionPoolConfig pool = new ConnectionPoolConfig();
			pool.setMaxTotal(1);
			return new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", 1),
					JedisClientConfiguration.builder().usePooling().poolConfig(pool).build());
		}

		@Bean
		RedisTemplate<String, byte[]> delayQueueRedisTemplate(JedisConnectionFactory connections) {
			RedisTemplate<String, byte[]> template = new RedisTemplate<>();
			template.setConnectionFactory(connections);
			template.setKeySerializer(RedisSerializer.string());
			template.setValueSerializer(RedisSerializer.byteArray());
			return template;
		}

	}

}
