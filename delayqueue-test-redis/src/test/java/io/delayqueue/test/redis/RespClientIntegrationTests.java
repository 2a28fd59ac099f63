package io.delayqueue.test.redis;

import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RespClientIntegrationTests {

	private static RedisServer redis;

	@BeforeAll
	static void start() {
		redis = RedisServer.builder().setting("requirepass", "p@ss word").start();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@Test
	void everyKindOfReplyIsRead() {
		try (RespClient client = redis.client()) {
			assertThat(client.call("SET", "text", "Grüße\r\n")).isEqualTo("OK");
			assertThat(client.call("GET", "text")).isEqualTo("Grüße\r\n");
			assertThat(client.call("GET", "missing")).isNull();
			assertThat(client.call("STRLEN", "text")).isEqualTo(9L);
			assertThat(client.call("MGET", "text", "missing")).asInstanceOf(InstanceOfAssertFactories.LIST)
				.containsExactly("Grüße\r\n", null);
			assertThat(client.call("EVAL", "return {1, {'a'}, redis.error_reply('MY error')}", "0"))
				.asInstanceOf(InstanceOfAssertFactories.LIST)
				.startsWith(1L, List.of("a"))
				.last()
				.isInstanceOf(RespException.class);
		}
	}

	@Test
	void errorIsThrownAndConnectionStaysUsable() {
		try (RespClient client = redis.client()) {
			assertThatExceptionOfType(RespException.class).isThrownBy(() -> client.call("NONSENSE"))
				.satisfies((ex) -> assertThat(ex.code()).isEqualTo("ERR"));
			assertThat(client.text("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void wrongPasswordIsRefused() {
		URI uri = URI.create("redis://:wrong@127.0.0.1:" + redis.port());
		assertThatExceptionOfType(RespException.class).isThrownBy(() -> RespClient.connect(uri))
			.satisfies((ex) -> assertThat(ex.code()).isEqualTo("WRONGPASS"));
	}

	@Test
	void connectionIsClosedWhenReplyIsLate() {
		try (RespClient client = RespClient.connect(redis.uri(), Duration.ofMillis(200))) {
			assertThatExceptionOfType(UncheckedIOException.class)
				.isThrownBy(() -> client.call("BLPOP", "nothing", "0"));
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("PING"));
		}
	}

	@Test
	void closedPortIsReported() {
		URI uri = URI.create("redis://127.0.0.1:" + Ports.free());
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> RespClient.connect(uri))
			.withMessageContaining("127.0.0.1:" + uri.getPort());
	}

}
