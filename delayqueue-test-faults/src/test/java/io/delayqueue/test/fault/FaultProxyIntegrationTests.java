package io.delayqueue.test.fault;

import java.io.UncheckedIOException;
import java.time.Duration;

import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class FaultProxyIntegrationTests {

	private static RedisServer redis;

	private FaultProxy proxy;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.builder().start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@BeforeEach
	void startProxy() {
		redis.call("FLUSHALL");
		this.proxy = FaultProxy.to(redis);
	}

	@AfterEach
	void stopProxy() {
		this.proxy.close();
	}

	@Test
	void proxyForwardsEverythingAtFirst() {
		try (RespClient client = client()) {
			String large = "x".repeat(300_000);
			client.call("SET", "large", large);
			assertThat(client.call("GET", "large")).isEqualTo(large);
		}
	}

	@Test
	void actionRunsOnceBeforeTheNextRequestWithTheText() {
		try (RespClient client = client()) {
			this.proxy.beforeNextRequest("key", () -> redis.call("SET", "key", "by the action"));
			client.call("PING");
			assertThat(redis.call("GET", "key")).isNull();
			assertThat(client.call("GET", "key")).isEqualTo("by the action");
			client.call("SET", "key", "by the client");
			assertThat(client.call("GET", "key")).isEqualTo("by the client");
		}
	}

	@Test
	void redirectionAffectsNewConnectionsOnly() {
		try (RespClient before = client(); RedisServer other = RedisServer.builder().start()) {
			before.call("SET", "key", "value");
			this.proxy.redirectTo(other);
			try (RespClient after = client()) {
				assertThat(after.call("GET", "key")).isNull();
			}
			assertThat(before.call("GET", "key")).isEqualTo("value");
		}
	}

	@Test
	void delayHoldsBackReplies() {
		try (RespClient client = RespClient.connect(this.proxy.uri())) {
			this.proxy.delay(Duration.ofMillis(150));
			long start = System.nanoTime();
			client.call("PING");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
		}
	}

	@Test
	void delayedRepliesAreDeliveredWhenDelayEnds() {
		try (RespClient client = RespClient.connect(this.proxy.uri())) {
			this.proxy.delay(Duration.ofDays(1));
			client.send("INCR", "counter");
			awaitCounter("1");
			this.proxy.pass();
			assertThat(client.receive()).isEqualTo(1L);
		}
	}

	@Test
	void blackholeForwardsRequestsAndSwallowsReplies() {
		try (RespClient client = impatientClient(this.proxy)) {
			this.proxy.blackhole();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("INCR", "counter"));
			awaitCounter("1");
		}
	}

	@Test
	void blackholeHidesTheEndOfTheServer() {
		try (RedisServer other = RedisServer.builder().start();
				FaultProxy otherProxy = FaultProxy.to(other);
				RespClient client = impatientClient(otherProxy)) {
			otherProxy.blackhole();
			other.kill();
			client.send("PING");
			assertThat(otherProxy.openConnections()).isEqualTo(1);
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(client::receive)
				.havingCause()
				.withMessageContaining("timed out");
		}
	}

	@Test
	void cutReplyForwardsTheRequestAndClosesTheConnection() {
		try (RespClient client = client()) {
			client.call("PING");
			this.proxy.cutReply();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("INCR", "counter"))
				.havingCause()
				.withMessageNotContaining("timed out");
			assertThat(redis.call("GET", "counter")).isEqualTo("1");
		}
		try (RespClient client = client()) {
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("INCR", "counter"));
		}
	}

	@Test
	void cutNextReplyCutsOneOnly() {
		try (RespClient client = client()) {
			this.proxy.cutNextReply();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("INCR", "counter"));
		}
		try (RespClient client = client()) {
			assertThat(client.call("INCR", "counter")).isEqualTo(2L);
		}
	}

	@Test
	void cutRequestNeverReachesTheServer() {
		try (RespClient client = client(); RespClient other = client()) {
			this.proxy.cutNextRequest("INCR");
			assertThat(client.call("GET", "counter")).isNull();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("INCR", "counter"));
			assertThat(other.call("INCR", "counter")).isEqualTo(1L);
			this.proxy.cutRequests("INCR");
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> other.call("INCR", "counter"));
			assertThat(redis.call("GET", "counter")).isEqualTo("1");
			assertThat(this.proxy.cuts()).isEqualTo(2);
		}
	}

	@Test
	void replyToOneRequestIsCut() {
		try (RespClient client = client(); RespClient other = client()) {
			this.proxy.cutNextReplyTo("INCR");
			assertThat(client.call("PING")).isEqualTo("PONG");
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("INCR", "counter"));
			assertThat(other.call("INCR", "counter")).isEqualTo(2L);
			this.proxy.cutRepliesTo("INCR");
			assertThat(other.call("PING")).isEqualTo("PONG");
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> other.call("INCR", "counter"));
			assertThat(redis.call("GET", "counter")).isEqualTo("3");
			assertThat(this.proxy.cuts()).isEqualTo(2);
		}
	}

	@Test
	void silencedConnectionHangsAndNewOneWorks() {
		try (RespClient client = impatientClient(this.proxy)) {
			this.proxy.silenceOpen();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("INCR", "counter"));
			try (RespClient other = client()) {
				assertThat(other.call("INCR", "counter")).isEqualTo(1L);
			}
		}
	}

	@Test
	void refuseResetsNewConnectionsOnlyAndCountsThem() {
		try (RespClient before = client()) {
			before.call("PING");
			this.proxy.refuse();
			for (int i = 0; i < 3; i++) {
				assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> {
					try (RespClient client = client()) {
						client.call("PING");
					}
				});
			}
			assertThat(before.call("PING")).isEqualTo("PONG");
			assertThat(this.proxy.accepted()).isEqualTo(4);
		}
	}

	@Test
	void cutAllClosesOpenConnections() {
		try (RespClient client = client()) {
			client.call("PING");
			assertThat(this.proxy.openConnections()).isEqualTo(1);
			this.proxy.cutAll();
			assertThat(this.proxy.openConnections()).isZero();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("PING"));
		}
		try (RespClient client = client()) {
			assertThat(client.call("PING")).isEqualTo("PONG");
		}
	}

	@Test
	void serverMayRestartBehindTheProxy() {
		try (RedisServer other = RedisServer.builder().start(); FaultProxy otherProxy = FaultProxy.to(other)) {
			other.stop();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> {
				try (RespClient client = RespClient.connect(otherProxy.uri())) {
					client.call("PING");
				}
			});
			other.start();
			try (RespClient client = RespClient.connect(otherProxy.uri())) {
				assertThat(client.call("PING")).isEqualTo("PONG");
			}
		}
	}

	@Test
	void negativeDelayIsRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.proxy.delay(Duration.ofMillis(-1)));
	}

	private RespClient client() {
		return RespClient.connect(this.proxy.uri());
	}

	/** A client for calls that get no reply, on an open connection. */
	private static RespClient impatientClient(FaultProxy proxy) {
		RespClient client = RespClient.connect(proxy.uri(), Duration.ofMillis(300));
		Await.until(Await.LIMIT, () -> "The proxy has no connection", () -> proxy.openConnections() == 1);
		return client;
	}

	private static void awaitCounter(String value) {
		Await.until(Await.LIMIT, () -> "The server did not run the command",
				() -> value.equals(redis.call("GET", "counter")));
	}

}
