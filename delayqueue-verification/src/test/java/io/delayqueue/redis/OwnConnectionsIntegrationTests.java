package io.delayqueue.redis;

import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How the application's connection is treated when its server refuses writes.
 */
class OwnConnectionsIntegrationTests {

	@Tag("slow")
	@Test
	void theSharedConnectionToAReadOnlyServerIsNotClosedRepeatedly() {
		try (RedisServer redis = RedisServer.builder().start()) {
			redis.call("REPLICAOF", "127.0.0.1", "1");
			LettuceConnectionFactory connections = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(redis.host(), redis.port()));
			connections.afterPropertiesSet();
			connections.start();
			try {
				DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(connections);
				template.afterPropertiesSet();
				long before = connectionsTo(redis);
				long began = System.nanoTime();

				for (int i = 0; i < 100; i++) {
					assertThatExceptionOfType(DataAccessException.class)
						.isThrownBy(() -> template.opsForValue().set("a", new byte[] { 1 }))
						.withStackTraceContaining("READONLY");
				}

				long seconds = (System.nanoTime() - began) / 1_000_000_000;
				// The connections: the first one, one more for each closed one, and the
				// two checks
				assertThat(connectionsTo(redis) - before).isBetween(2L, 5 + seconds);
			}
			finally {
				connections.destroy();
			}
		}
	}

	private static long connectionsTo(RedisServer redis) {
		return String.valueOf(redis.call("INFO", "stats"))
			.lines()
			.filter((line) -> line.startsWith("total_connections_received:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
			.sum();
	}

}
