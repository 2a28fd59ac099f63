package io.delayqueue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.server.ServerFaults;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.RespException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A Redis that answers with an error. */
@SuppressWarnings("NullAway.Init")
class RedisErrorReplyIntegrationTests {

	private RedisServer redis = RedisServer.builder().start();

	private FaultHarness harness = new FaultHarness(this.redis.uri(), "delayqueue.defaults.visibility-timeout=3s");

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.redis.close();
	}

	@Test
	@Tag("slow")
	@DisplayName("row 27: while Redis loads its data nothing is lost, and work continues after it")
	void nothingIsLostWhileRedisLoadsItsData(@TempDir Path directory) {
		this.redis.close();
		this.redis = RedisServer.builder()
			.directory(directory)
			.appendOnly(AppendOnly.ALWAYS)
			.setting("enable-protected-configs", "yes")
			.setting("loading-process-events-interval-bytes", 1024)
			.start();
		this.harness = new FaultHarness(this.redis.uri()).startWarm();
		for (int i = 0; i < 3000; i++) {
			this.redis.call("SET", "key" + i, "x".repeat(100));
		}
		this.redis.call("BGREWRITEAOF");
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.redis.client()
				.text("INFO", "persistence")
				.contains("aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0"));
		this.harness.scheduleAll("m", 50, Duration.ofMillis(500));
		this.redis.call("CONFIG", "SET", "key-load-delay", "500");
		this.redis.call("CONFIG", "REWRITE");

		this.redis.kill();
		CompletableFuture<RedisServer> started = CompletableFuture.supplyAsync(this.redis::start);
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> answersWith("LOADING"));

		// The call itself repeats until Redis has loaded
		this.harness.schedule("during", Duration.ZERO);

		started.join();
		this.harness.schedule("after", Duration.ZERO);
		assertThat(this.harness.ledger().accepted()).contains("during", "after").hasSize(52);
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@Test
	@DisplayName("row 27: while Redis is busy with another client's script calls are repeated, and work continues after it")
	void callsAreRepeatedWhileRedisIsBusy() {
		this.harness.startWarm();
		this.harness.scheduleAll("m", 50, Duration.ofMillis(300));
		this.redis.call("CONFIG", "SET", "busy-reply-threshold", "50");
		try (RespClient other = this.redis.client()) {
			CompletableFuture<Void> endless = CompletableFuture
				.runAsync(() -> other.call("EVAL", "while true do end", "0"));
			Awaitility.await().until(() -> answersWith("BUSY"));
			CompletableFuture<Void> call = CompletableFuture
				.runAsync(() -> this.harness.schedule("during", Duration.ZERO));

			Awaitility.await().pollDelay(Duration.ofSeconds(1)).until(() -> answersWith("BUSY"));
			this.redis.call("SCRIPT", "KILL");

			assertThat(endless).failsWithin(Duration.ofMinutes(2));
			call.join();
		}
		assertThat(this.harness.ledger().accepted()).contains("during").hasSize(51);
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	private boolean answersWith(String code) {
		try (RespClient client = this.redis.client()) {
			client.call("GET", "any");
			return false;
		}
		catch (RespException error) {
			return error.code().equals(code);
		}
		catch (RuntimeException unavailable) {
			return false;
		}
	}

	@Test
	@DisplayName("row 28: a full Redis rejects new messages and delivers stored ones, including retries")
	void fullRedisRejectsNewMessagesAndDeliversStoredOnes() {
		this.harness.with("delayqueue.schedule.deadline=500ms").startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() == 1) {
				throw new IllegalStateException("again");
			}
		};
		this.harness.scheduleAll("m", 50, Duration.ofMillis(500));
		this.redis.call("CONFIG", "SET", "maxmemory", "1");

		this.harness.schedule("full", Duration.ZERO);

		assertThat(this.harness.ledger().refused().get("full")).isInstanceOf(DelayQueueUnavailableException.class)
			.hasMessageContaining("OOM")
			.hasMessageContaining("nothing is stored");
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).hasSize(2 * 50 + 1);
		this.redis.call("CONFIG", "SET", "maxmemory", "0");
		this.harness.schedule("fits", Duration.ZERO);
		this.harness.ledger().awaitAccepted();
	}

	@Test
	@DisplayName("row 28: a worker that starts while Redis is full delivers the stored messages")
	void workerThatStartsWhileRedisIsFullDeliversStoredMessages() {
		String id = this.harness.application().producer().schedule(Worker.QUEUE, "p", Duration.ZERO).id();
		this.redis.call("CONFIG", "SET", "maxmemory", "1");

		this.harness.start();

		this.harness.awaitGone(Worker.QUEUE, id);
		assertThat(this.harness.ledger().runs()).hasSize(1);
		this.redis.call("CONFIG", "SET", "maxmemory", "0");
	}

	@Test
	@DisplayName("row 34: a partition with a key of another program stops until the key is removed, and reports why")
	void partitionWithAKeyOfAnotherProgramStopsAndOtherPartitionsRun() {
		takeTheKeys("scheduled", "entries");
	}

	@Test
	@Tag("slow")
	@DisplayName("row 34: the same for every other key")
	void everyKeyOfAnotherProgramStopsItsPartition() {
		takeTheKeys("ready", "done", "messages", "failures", "dead", "control");
	}

	private void takeTheKeys(String... names) {
		this.harness.startWarm();
		Load load = this.harness.load("other", this.harness.worker().other, 50);
		for (String name : names) {
			String key = this.harness.key(name);
			this.redis.call("DEL", key);
			this.redis.call("SET", key, "of another program");

			// A call with a generated id does not read every key
			this.harness.scheduleChosen("refused-" + name, Duration.ZERO);

			assertThat(this.harness.ledger().refused().get("refused-" + name)).as(name)
				.isInstanceOf(RedisRefusedException.class)
				.hasMessageContaining(key)
				.hasMessageContaining("string");
			assertThat(this.redis.call("EXISTS", this.harness.key("messages"))).as("records")
				.isEqualTo(name.equals("messages") ? 1L : 0L);
			// An idle partition is checked as a whole once a minute
			Awaitility.await()
				.atMost(Signals.LONGEST_QUIET.plus(FaultHarness.LONG_ENOUGH))
				.untilAsserted(() -> assertThat(this.harness.failing()).as("activities that report why")
					.extracting(RedisErrorReplyIntegrationTests::reason)
					.anyMatch((reason) -> reason.contains(key)));
			assertThat(this.harness.failing()).extracting(LoopStatus::name)
				.noneMatch((activity) -> activity.contains("other"));
			this.harness.worker().other.await(this.harness.worker().other.runs().size() + 20);
			assertThat(this.redis.call("GET", key)).isEqualTo("of another program");

			this.redis.call("DEL", key);
			this.harness.schedule("healed-" + name, Duration.ZERO);
			this.harness.assertAllIsWell(this.redis);
		}
		load.close();
		this.harness.worker().other.awaitAccepted();
		this.harness.worker().other.assertTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "failures", "entries" })
	@DisplayName("row 34: pending messages are kept while a key of another program blocks their settlement")
	void pendingMessagesAreKeptWhileAForeignKeyBlocksThem(String name) {
		this.harness.startWarm();
		this.harness.scheduleAll("m", 20, Duration.ofMillis(500));
		this.redis.call("DEL", this.harness.key(name));
		this.redis.call("SET", this.harness.key(name), "of another program");
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.harness.failing()).extracting(RedisErrorReplyIntegrationTests::reason)
				.anyMatch((reason) -> reason.contains(this.harness.key(name))));

		this.redis.call("DEL", this.harness.key(name));

		this.harness.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 34: while Redis refuses the dead letters of a partition all handled messages are acknowledged")
	void refusedDeadLettersDelayNoAcknowledgement() {
		this.harness
			.with("delayqueue.defaults.concurrency=2", "delayqueue.defaults.max-attempts=1",
					"delayqueue.queues.work.partitions=2")
			.startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.payload().equals("fail")) {
				throw new IllegalStateException("for the last time");
			}
		};
		// The calls initialise both partitions
		schedule(20).forEach((id) -> this.harness.awaitGone(Worker.QUEUE, id));
		this.redis.call("SET", this.harness.key("dead"), "of another program");
		List<ScheduleRequest> failing = IntStream.range(0, 20)
			.mapToObj((i) -> ScheduleRequest.to(Worker.QUEUE).payload("fail").delay(Duration.ZERO))
			.toList();
		this.harness.queue().scheduleAll(failing);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.harness.failing()).extracting(RedisErrorReplyIntegrationTests::reason)
				.anyMatch((reason) -> reason.contains(this.harness.key("dead"))));
		List<String> good = schedule(30);
		assertThat(good).as("in the other partition").anyMatch((id) -> GeneratedIds.partitionOf(id) == 1);
		good.stream()
			.filter((id) -> GeneratedIds.partitionOf(id) == 1)
			.forEach((id) -> this.harness.awaitGone(Worker.QUEUE, id));

		this.redis.call("DEL", this.harness.key("dead"));
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> (Long) this.redis.call("ZCARD", this.harness.key("dead"))
					+ (Long) this.redis.call("ZCARD", this.harness.key("dead").replace(":0}", ":1}")) == 20);
	}

	@Test
	@DisplayName("row 34: while Redis refuses a dead letter the successes of its partition are acknowledged")
	void refusedDeadLetterDelaysNoAcknowledgementOfItsPartition() {
		this.harness.with("delayqueue.defaults.concurrency=2", "delayqueue.defaults.max-attempts=1").startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.payload().equals("fail")) {
				throw new IllegalStateException("for the last time");
			}
		};
		this.redis.call("SET", this.harness.key("dead"), "of another program");
		this.harness.queue().schedule(ScheduleRequest.to(Worker.QUEUE).payload("fail").delay(Duration.ZERO));
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.harness.failing()).extracting(RedisErrorReplyIntegrationTests::reason)
				.anyMatch((reason) -> reason.contains(this.harness.key("dead"))));
		schedule(30).forEach((id) -> this.harness.awaitGone(Worker.QUEUE, id));

		assertThat(this.harness.failing()).extracting(LoopStatus::name)
			.anyMatch((name) -> name.contains("dead_letter"));
		this.redis.call("DEL", this.harness.key("dead"));
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> (Long) this.redis.call("ZCARD", this.harness.key("dead")) == 1);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.harness.failing()).isEmpty());
	}

	@Test
	@DisplayName("row 34: a read that Redis refuses keeps its permits in flight only until its messages are known")
	void refusedReadGivesBackItsPermits() {
		this.harness.with("delayqueue.queues.work.max-in-flight=2").startWarm();
		this.redis.call("ACL", "SETUSER", "default", "-xreadgroup");
		this.harness.scheduleAll("m", 20, Duration.ZERO);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> "2".equals(this.redis.call("HGET", this.harness.key("budget"), "in-flight")));

		this.redis.call("ACL", "SETUSER", "default", "+xreadgroup");

		this.harness.assertAllIsWell(this.redis);
	}

	private List<String> schedule(int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> this.harness.queue()
				.schedule(ScheduleRequest.to(Worker.QUEUE).payload("p").delay(Duration.ZERO))
				.id())
			.toList();
	}

	private static String reason(LoopStatus status) {
		return (status.lastFailure() != null) ? String.valueOf(status.lastFailure().getMessage()) : "";
	}

	@Test
	@DisplayName("row 35: a missing password is reported, and is not taken for an outage")
	void missingPasswordIsReported() {
		try (RespClient client = this.redis.client()) {
			client.call("CONFIG", "SET", "requirepass", "secret");
			assertThatThrownBy(this.harness::start).rootCause()
				.hasMessageContaining("rejects this application's credentials")
				.hasMessageContaining("NOAUTH");
			this.harness.with("delayqueue.startup-checks=warn").start();

			this.harness.schedule("m", Duration.ZERO);

			assertThat(this.harness.ledger().refused().get("m")).isInstanceOf(RedisRefusedException.class)
				.hasMessageContaining("NOAUTH");
			client.call("CONFIG", "SET", "requirepass", "");
		}
		this.harness.schedule("n", Duration.ZERO);
		this.harness.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 35: an application that lacks rights refuses to start and lists all missing rights")
	void applicationThatLacksRightsDoesNotStart() {
		this.redis.call("ACL", "SETUSER", "default", "-xadd", "-zrem", "-xack");

		assertThatThrownBy(this.harness::start).rootCause()
			.hasMessageContaining("[xack, xadd, zrem]")
			.hasMessageContaining("ACL SETUSER <user> +xack +xadd +zrem");

		this.redis.call("ACL", "SETUSER", "default", "+xack", "+xadd", "+zrem");
		this.harness.start().schedule("m", Duration.ZERO);
		this.harness.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 35: an application without startup checks logs all missing rights, and works when they are granted")
	void applicationThatStartsWithoutRightsLogsThem() {
		this.redis.call("ACL", "SETUSER", "default", "-xadd", "-zrem", "-xack");
		this.harness.with("delayqueue.startup-checks=warn").start();
		assertThat(this.harness.bean(ServerFaults.class).faults()).singleElement()
			.asString()
			.contains("[xack, xadd, zrem]");

		this.harness.schedule("m", Duration.ZERO);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.harness.failing()).extracting(RedisErrorReplyIntegrationTests::reason)
				.anyMatch((reason) -> reason.contains("xadd") && reason.contains("zrem") && reason.contains("xack")
						&& reason.contains("ACL SETUSER")));

		this.redis.call("ACL", "SETUSER", "default", "+xadd", "+zrem", "+xack");
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).hasSize(1);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.bean(ServerFaults.class).faults().isEmpty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "xdel", "hset" })
	@DisplayName("row 36: a right that is revoked for a while loses no message")
	void revokedRightLosesNoMessage(String command) {
		revoke(command);
	}

	@ParameterizedTest
	@Tag("slow")
	@ValueSource(strings = { "xadd", "hdel", "zadd", "xack", "zrem", "xreadgroup", "hmget" })
	@DisplayName("row 36: the same for every other right")
	void everyRevokedRightLosesNoMessage(String command) {
		revoke(command);
	}

	private void revoke(String command) {
		this.harness.with("delayqueue.defaults.back-off.first=50ms").startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() == 1 && message.id().hashCode() % 3 == 0) {
				throw new IllegalStateException("again");
			}
		};
		Load load = this.harness.load(100);
		this.harness.ledger().await(20);

		this.redis.call("ACL", "SETUSER", "default", "-" + command);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.failing()
				.stream()
				.anyMatch((status) -> status.failures() >= 3 && reason(status).contains(command)));
		this.redis.call("ACL", "SETUSER", "default", "+" + command);

		int before = this.harness.ledger().accepted().size();
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.ledger().accepted().size() >= before + 20);
		load.close();
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).extracting((run) -> run.id() + "/" + run.attempt())
			.doesNotHaveDuplicates();
	}

}
