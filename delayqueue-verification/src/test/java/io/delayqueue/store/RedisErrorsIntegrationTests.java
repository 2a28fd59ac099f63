package io.delayqueue.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.RespException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The meaning of a failure if Redis has answered with an error.
 */
class RedisErrorsIntegrationTests {

	private RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().setting("enable-protected-configs", "yes").start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void outOfMemory(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			this.redis.call("CONFIG", "SET", "maxmemory", "1");
			assertTransient(failing.schedule(), "OOM", false);
			assertThat(failing.store().sweep()).isZero();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aReadOnlyReplica(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			this.redis.call("REPLICAOF", "127.0.0.1", "1");
			assertTransient(failing.schedule(), "READONLY", false);
			assertTransient(failing.failure((store) -> store.read("holder")), "READONLY", false);
			assertThat(failing.store().find(TestMessages.key("a"))).isEmpty();
			assertThat(Failing.isStored(this.redis)).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aReplicaWithoutItsMaster(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			this.redis.call("CONFIG", "SET", "replica-serve-stale-data", "no");
			this.redis.call("REPLICAOF", "127.0.0.1", "1");
			assertTransient(failing.failure((store) -> store.snapshots().of(store.partition())), "MASTERDOWN", true);
		}
	}

	@ParameterizedTest
	@EnumSource
	void tooFewReplicas(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			this.redis.call("CONFIG", "SET", "min-replicas-to-write", "1");
			assertTransient(failing.schedule(), "NOREPLICAS", false);
			assertThat(Failing.isStored(this.redis)).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void theLastSaveFailed(Driver driver, @TempDir Path directory) throws IOException {
		Path gone = Files.createDirectory(directory.resolve("gone"));
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			this.redis.call("CONFIG", "SET", "save", "3600 1000000");
			this.redis.call("CONFIG", "SET", "dir", gone.toString());
			Files.delete(gone);
			this.redis.call("BGSAVE");
			Awaitility.await()
				.until(() -> String.valueOf(this.redis.call("INFO", "persistence"))
					.contains("rdb_last_bgsave_status:err"));
			assertTransient(failing.schedule(), "MISCONF", false);
			assertThat(Failing.isStored(this.redis)).isFalse();
			this.redis.call("CONFIG", "SET", "dir", this.redis.directory().toString());
		}
	}

	@ParameterizedTest
	@EnumSource
	void busyWithAScript(Driver driver) throws Exception {
		try (Failing failing = Failing.over(driver, this.redis).connect();
				RespClient other = this.redis.client();
				RespClient killer = this.redis.client()) {
			this.redis.call("CONFIG", "SET", "busy-reply-threshold", "1");
			CompletableFuture<Void> endless = CompletableFuture
				.runAsync(() -> other.call("EVAL", "while true do end", "0"));
			Awaitility.await().until(() -> isBusy(killer));
			assertTransient(failing.schedule(), "BUSY", true);
			killer.call("SCRIPT", "KILL");
			assertThat(endless).failsWithin(Duration.ofMinutes(2));
			assertThat(Failing.isStored(this.redis)).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void loadingItsData(Driver driver, @TempDir Path directory) throws Exception {
		try (RedisServer loading = RedisServer.builder()
			.directory(directory)
			.setting("key-load-delay", 1000)
			.setting("loading-process-events-interval-bytes", 1024)
			.start(); Failing failing = Failing.over(driver, loading)) {
			for (int i = 0; i < 5000; i++) {
				loading.call("SET", "key" + i, "x".repeat(100));
			}
			loading.call("SAVE");
			loading.kill();
			CompletableFuture<RedisServer> started = CompletableFuture.supplyAsync(loading::start);
			Awaitility.await().until(() -> isLoading(loading));
			assertTransient(failing.schedule(), "LOADING", true);
			loading.call("CONFIG", "SET", "key-load-delay", "0");
			started.get();
			failing.connect();
			assertThat(Failing.isStored(loading)).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aClusterNodeWithoutSlots(Driver driver) {
		try (RedisServer node = RedisServer.builder().setting("cluster-enabled", "yes").start();
				Failing failing = Failing.over(driver, node)) {
			assertTransient(failing.schedule(), "CLUSTERDOWN", false);
		}
	}

	@ParameterizedTest
	@EnumSource
	void anUnknownScript(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			assertTransient(failing
				.command((connection) -> connection.scriptingCommands().evalSha("0".repeat(40), ReturnType.VALUE, 0)),
					"NOSCRIPT", false);
		}
	}

	@ParameterizedTest
	@EnumSource
	void tooManyClients(Driver driver) {
		try (RespClient first = this.redis.client(); Failing failing = Failing.over(driver, this.redis)) {
			first.call("CONFIG", "SET", "maxclients", "1");
			StoreException failure = failing.schedule();
			assertThat(failure.kind()).as(String.valueOf(failure.getCause())).isNotEqualTo(FailureKind.REFUSED);
			first.call("CONFIG", "SET", "maxclients", "100");
			assertThat(Failing.isStored(this.redis)).isFalse();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aKeyOfAnotherProgram(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			for (Key key : new Key[] { Key.MESSAGES, Key.READY }) {
				this.redis.call("DEL", Failing.key(key));
				this.redis.call("SET", Failing.key(key), "of another program");
				assertRefused(failing.schedule(), Failing.key(key), "holds a string but must be a " + key.type());
			}
			assertRefused(failing.failure((store) -> store.read("holder")), Failing.key(Key.READY),
					"holds a string but must be a stream");
		}
	}

	@ParameterizedTest
	@EnumSource
	void aMissingRight(Driver driver) {
		this.redis.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all", "-zadd", "-xreadgroup");
		try (Failing failing = Failing.over(driver, user("limited", "secret"))) {
			assertRefused(failing.schedule(), "lacks the right to run", "zadd", "ACL SETUSER");
			assertRefused(failing.failure((store) -> store.read("holder")), "lacks the right to run", "xreadgroup");
		}
	}

	@ParameterizedTest
	@EnumSource
	void aWrongPassword(Driver driver) {
		this.redis.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "&*", "+@all");
		try (Failing failing = Failing.over(driver, user("limited", "wrong"))) {
			assertRefused(failing.schedule(), "WRONGPASS");
		}
	}

	@ParameterizedTest
	@EnumSource
	void noPasswordAtAll(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis)) {
			this.redis.call("CONFIG", "SET", "requirepass", "secret");
			assertRefused(failing.command(RedisConnection::ping), "NOAUTH");
			assertThat(failing.schedule().kind()).isEqualTo(FailureKind.REFUSED);
		}
	}

	@ParameterizedTest
	@EnumSource
	@SuppressWarnings("unchecked")
	void aMissingConsumerGroup(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			StoreException failure = failing.command((connection) -> connection.streamCommands()
				.xReadGroup(Consumer.from("unknown", "one"),
						StreamOffset.create(Reply.bytes("test:none"), ReadOffset.lastConsumed())));
			assertThat(failure.code()).isEqualTo("NOGROUP");
			assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void aBugInAScript(Driver driver) {
		try (Failing failing = Failing.over(driver, this.redis).connect()) {
			assertRefused(failing.failure((store) -> store.calls()
				.run(StoreScript.SWEEP, store.partition(), Reply.bytes("many"), Reply.bytes(1), Reply.bytes(1))),
					"sweep.lua", "orders:0");
		}
	}

	private static void assertTransient(StoreException failure, String code, boolean redisIsLost) {
		assertThat(failure).isNotNull();
		assertThat(failure.code()).as(String.valueOf(failure.getCause())).isEqualTo(code);
		assertThat(failure.kind()).isEqualTo(FailureKind.NOT_EXECUTED);
		assertThat(failure.isRedisLost()).isEqualTo(redisIsLost);
		assertThat(failure).hasMessageContaining(code);
	}

	private static void assertRefused(StoreException failure, String... words) {
		assertThat(failure).isNotNull();
		assertThat(failure.kind()).as(String.valueOf(failure.getCause())).isEqualTo(FailureKind.REFUSED);
		assertThat(failure.isRedisLost()).isFalse();
		assertThat(failure.getMessage()).contains(words);
	}

	private URI user(String name, String password) {
		return URI.create("redis://" + name + ":" + password + "@" + this.redis.host() + ":" + this.redis.port());
	}

	private static boolean isBusy(RespClient client) {
		return answersWith(client, "BUSY");
	}

	private static boolean isLoading(RedisServer server) {
		try (RespClient client = server.client()) {
			return answersWith(client, "LOADING");
		}
		catch (UncheckedIOException notYet) {
			return false;
		}
	}

	private static boolean answersWith(RespClient client, String code) {
		try {
			client.call("GET", "any");
			return false;
		}
		catch (RespException error) {
			return error.code().equals(code);
		}
	}

}
