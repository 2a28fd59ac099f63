package io.delayqueue.test.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
		disabledReason = "The clock of a server can only be moved there")
class ServerClockIntegrationTests {

	@Test
	void clockOfARunningServerCanBeMovedAndRestartResetsIt() {
		try (RedisServer redis = RedisServer.builder().start(); RespClient client = redis.client()) {
			client.call("SET", "soon", "gone", "EX", "60");
			ServerClock.set(redis, Duration.ofMinutes(10));
			assertThat(ahead(redis)).isBetween(540L, 660L);
			assertThat(client.call("GET", "soon")).isNull();
			ServerClock.set(redis, Duration.ofHours(-1));
			assertThat(ahead(redis)).isBetween(-3660L, -3540L);
			ServerClock.set(redis, Duration.ZERO);
			assertThat(ahead(redis)).isBetween(-60L, 60L);
			ServerClock.set(redis, Duration.ofHours(1));
			redis.restart();
			assertThat(ahead(redis)).isBetween(-60L, 60L);
		}
	}

	private static long ahead(RedisServer redis) {
		List<?> time = (List<?>) redis.call("TIME");
		return Long.parseLong(String.valueOf(time.get(0))) - Instant.now().getEpochSecond();
	}

}
