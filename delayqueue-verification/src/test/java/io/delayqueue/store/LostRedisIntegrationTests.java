package io.delayqueue.store;

import java.net.URI;
import java.util.concurrent.CompletableFuture;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.ScheduledMessages.Stored;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The meaning of a failure without an answer: nothing was written only if the call was
 * never sent.
 */
@Tag("slow")
class LostRedisIntegrationTests {

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void noServerListens(Driver driver) {
		this.redis.stop();
		try (Failing failing = Failing.over(driver, this.redis)) {
			assertLost(failing.schedule(), FailureKind.NOT_EXECUTED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theHostDoesNotExist(Driver driver) {
		try (Failing failing = Failing.over(driver, URI.create("redis://redis.invalid:6379"))) {
			assertLost(failing.schedule(), FailureKind.NOT_EXECUTED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aFrozenServerRunsTheCallLater(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			this.redis.freeze();
			StoreException failure = failing.schedule();
			this.redis.resume();
			assertLost(failure, FailureKind.UNKNOWN);
			Awaitility.await().until(() -> Failing.isStored(this.redis));
		}
	}

	@ParameterizedTest
	@EnumSource
	void noAnswerComesFromAServerThatRanTheCall(Driver driver) {
		try (FaultProxy proxy = FaultProxy.to(this.redis);
				Failing failing = Failing.over(driver, proxy.uri()).connect()) {
			proxy.blackhole();
			assertLost(failing.schedule(), FailureKind.UNKNOWN);
			assertThat(Failing.isStored(this.redis)).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void theConnectionEndsInsteadOfTheAnswer(Driver driver) {
		try (FaultProxy proxy = FaultProxy.to(this.redis);
				Failing failing = Failing.over(driver, proxy.uri()).connect()) {
			proxy.cutReply();
			assertLost(failing.schedule(), FailureKind.UNKNOWN);
			assertThat(Failing.isStored(this.redis)).isTrue();
			proxy.pass();
			Awaitility.await().until(() -> failing.store().calls().answers());
			assertThat(failing.store().schedule("a", States.DUE, 1).stored()).isEqualTo(Stored.CREATED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void theServerDiesWhileItRunsTheCall(Driver driver) throws Exception {
		try (Failing failing = Failing.over(driver, this.redis).connect(); RespClient watch = this.redis.client()) {
			CompletableFuture<StoreException> failure = blocked(failing, watch);
			this.redis.kill();
			assertLost(failure.get(), FailureKind.UNKNOWN);
		}
	}

	@Test
	void everyConnectionOfJedisIsInUse() throws Exception {
		try (Failing failing = Failing.over(Driver.JEDIS, this.redis.uri(), 1).connect();
				RespClient other = this.redis.client()) {
			CompletableFuture<StoreException> blocked = blocked(failing, other);
			assertNotExecuted(failing.schedule());
			other.call("RPUSH", "test:never", "now");
			assertThat(blocked.get()).isNull();
		}
	}

	/** With Lettuce a callback keeps its connection from the first command on. */
	@Test
	void everyConnectionOfLettuceIsInUse() {
		try (Failing failing = Failing.over(Driver.LETTUCE, this.redis.uri(), 1).connect()) {
			assertNotExecuted(failing.store().calls().command((connection) -> {
				connection.ping();
				return failing.schedule();
			}));
		}
	}

	private void assertNotExecuted(StoreException failure) {
		assertThat(failure).isNotNull();
		assertThat(failure.kind()).as(String.valueOf(failure.getCause())).isEqualTo(FailureKind.NOT_EXECUTED);
		assertThat(failure.isRedisLost()).as("the call was not sent to Redis").isFalse();
		assertThat(Failing.isStored(this.redis)).isFalse();
	}

	/** A call that the server has begun and does not end by itself. */
	private static CompletableFuture<StoreException> blocked(Failing failing, RespClient watch) {
		CompletableFuture<StoreException> failure = CompletableFuture.supplyAsync(
				() -> failing.command((connection) -> connection.listCommands().bLPop(30, Reply.bytes("test:never"))));
		Awaitility.await().until(() -> watch.text("INFO", "clients").contains("blocked_clients:1"));
		return failure;
	}

	private static void assertLost(StoreException failure, FailureKind kind) {
		assertThat(failure).isNotNull();
		assertThat(failure.kind()).as(String.valueOf(failure.getCause())).isEqualTo(kind);
		assertThat(failure.isRedisLost()).isTrue();
		assertThat(failure.getMessage()).isNotBlank();
	}

}
