package io.delayqueue.test.redis;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SharedRedisIntegrationTests {

	@Test
	void allCallersShareOneServer() {
		SharedRedis redis = SharedRedis.get();
		assertThat(SharedRedis.get()).isSameAs(redis);
		assertThat(redis.describe()).endsWith(" on " + redis.host() + ":" + redis.port());
		try (RespClient client = redis.client()) {
			assertThat(client.call("PING")).isEqualTo("PONG");
		}
		assertThat(UsedServers.descriptions()).contains("shared " + redis.describe());
	}

	@Test
	void namedServerIsPreferred() {
		try (RedisServer server = RedisServer.builder().setting("requirepass", "secret").start()) {
			SharedRedis redis = SharedRedis.open(Map.of(SharedRedis.URL_PROPERTY, server.uri().toString())::get,
					Map.of(SharedRedis.URL_ENVIRONMENT, "redis://127.0.0.1:1")::get);
			assertThat(redis.port()).isEqualTo(server.port());
			assertThat(redis.describe()).matches("(redis|valkey)-server .*")
				.endsWith("-server " + server.version() + " (" + SharedRedis.URL_PROPERTY + ") on 127.0.0.1:"
						+ server.port());
		}
	}

	@Test
	void environmentVariableNamesServerToo() {
		try (RedisServer server = RedisServer.builder().start()) {
			SharedRedis redis = SharedRedis.open(Map.<String, String>of()::get,
					Map.of(SharedRedis.URL_ENVIRONMENT, server.uri().toString())::get);
			assertThat(redis.uri()).isEqualTo(server.uri());
		}
	}

	@Test
	void requestedImageThatCannotRunIsAnError() {
		assertThatExceptionOfType(RedisNotAvailableException.class)
			.isThrownBy(() -> SharedRedis.open(Map.of(SharedRedis.IMAGE_PROPERTY, "delayqueue/no-such-image:0")::get,
					Map.<String, String>of()::get))
			.withMessageContaining(SharedRedis.IMAGE_PROPERTY)
			.withMessageContaining("delayqueue/no-such-image:0");
	}

	@Test
	void namedServerThatDoesNotAnswerIsAnError() {
		String url = "redis://:secret@127.0.0.1:" + Ports.free();
		assertThatExceptionOfType(RedisNotAvailableException.class)
			.isThrownBy(
					() -> SharedRedis.open(Map.of(SharedRedis.URL_PROPERTY, url)::get, Map.<String, String>of()::get))
			.withMessageContaining(SharedRedis.URL_PROPERTY)
			.withMessageNotContaining("secret");
	}

}
