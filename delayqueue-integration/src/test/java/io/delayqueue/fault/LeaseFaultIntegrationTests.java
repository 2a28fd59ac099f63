package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.RawPartition;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.fault.ServerClock;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Leases under a clock that jumps, of very many messages, and of very large ones. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class LeaseFaultIntegrationTests {

	private RedisServer redis;

	private FaultHarness harness;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
		this.harness = new FaultHarness(this.redis.uri(), "delayqueue.defaults.visibility-timeout=3s");
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 42: a clock that jumps 10 min ahead takes no message from a living consumer")
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
			disabledReason = "The clock of a server can only be moved there")
	void clockThatJumpsAheadTakesNoMessageFromALivingConsumer() {
		CountDownLatch go = new CountDownLatch(1);
		// The heartbeat comes after 20 s, so that the reclaimer is the first to read the
		// new time
		this.harness.with("delayqueue.defaults.visibility-timeout=60s").startWarm();
		this.harness.worker().behaviour = (message) -> go.await();
		for (int i = 0; i < 5; i++) {
			this.harness.schedule("m-" + i, Duration.ZERO);
		}
		this.harness.ledger().await(1 + 5);

		ServerClock.set(this.redis, Duration.ofMinutes(10));
		// Two checks of the reclaimer
		Awaitility.await().pollDelay(Duration.ofSeconds(11)).atMost(FaultHarness.LONG_ENOUGH).until(() -> true);
		go.countDown();

		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
		assertThat(this.harness.ledger().runs()).extracting(Ledger.Run::attempt).containsOnly(1);
	}

	@Test
	@DisplayName("row 43: a clock that jumps back 1 h does not keep messages with a dead consumer")
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
			disabledReason = "The clock of a server can only be moved there")
	void messagesOfADeadConsumerAreReclaimedAfterTheClockJumpsBack() {
		this.harness.startWarm();
		silentConsumerTakes(3);

		ServerClock.set(this.redis, Duration.ofHours(-1));

		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.ledger().handled().size() == 1 + 3);
		assertThat(this.harness.ledger().doubled()).isZero();
		ServerClock.set(this.redis, Duration.ZERO);
		this.harness.schedule("m", Duration.ZERO);
		this.harness.ledger().awaitAccepted();
	}

	@Test
	@DisplayName("an outage longer than the visibility timeout takes no message from a living handler")
	void outageTakesNoMessageFromALivingHandler() {
		CountDownLatch go = new CountDownLatch(1);
		this.harness.startWarm();
		this.harness.worker().behaviour = (message) -> go.await();
		this.harness.schedule("m", Duration.ZERO);
		this.harness.ledger().await(1 + 1);

		// The server is killed and not frozen, because a frozen server would later
		// execute the heartbeats
		this.redis.kill();
		Awaitility.await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
		this.redis.restart();
		Awaitility.await().until(() -> idleMillisOfTheOnlyLease() < 2_000);
		go.countDown();

		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
		assertThat(this.harness.ledger().runs()).extracting(Ledger.Run::attempt).containsOnly(1);
	}

	@Test
	void processDoesNotReclaimWhileItsHeartbeatsFail() {
		CountDownLatch go = new CountDownLatch(1);
		this.harness.startWarm();
		this.harness.worker().behaviour = (message) -> go.await();
		this.harness.schedule("m", Duration.ZERO);
		this.harness.ledger().await(1 + 1);

		this.redis.call("ACL", "SETUSER", "default", "-xclaim");
		try (CommandLog log = CommandLog.of(this.redis)) {
			Awaitility.await()
				.atMost(FaultHarness.LONG_ENOUGH)
				.until(() -> idleMillisOfTheOnlyLease() > 3_000 && reclaimerChecks(log) > 10);
		}
		this.redis.call("ACL", "SETUSER", "default", "+xclaim");
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> idleMillisOfTheOnlyLease() < 3_000);
		go.countDown();

		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runsOf("m")).extracting(Ledger.Run::attempt).containsExactly(1);
	}

	private static long reclaimerChecks(CommandLog log) {
		String digest = Scripts.digest("reclaim");
		return log.commands().stream().filter((command) -> command.arguments().contains(digest)).count();
	}

	/** The reclaims that depend on the heartbeat of this process come soon as well. */
	@Test
	void silentMessagesAreReclaimedSoonWhateverTheVisibilityTimeout() {
		this.harness.with("delayqueue.defaults.visibility-timeout=1h").startWarm();
		this.harness.schedule("m", Duration.ofHours(2));
		RawPartition partition = new RawPartition(this.redis, this.harness.key(""));
		this.redis.call(partition.delivery(this.harness.id("m"), "silent"));
		partition.call("XCLAIM", "ready", "consumers", "silent", "0", partition.lease().get(0).toString(), "IDLE",
				"3600001", "JUSTID");

		assertThat(this.harness.ledger().await(1 + 1).get(1).attempt()).isEqualTo(2);
	}

	@Test
	void leaseIsRenewedDuringSettlementBeyondTheMaximumProcessingTime() {
		CountDownLatch go = new CountDownLatch(1);
		this.harness.with("delayqueue.defaults.timeout=3s").startWarm();
		this.harness.worker().behaviour = (message) -> go.await();
		this.harness.schedule("m", Duration.ZERO);
		this.harness.ledger().await(1 + 1);
		RawPartition partition = new RawPartition(this.redis, this.harness.key(""));

		partition.call("DEL", "done");
		partition.call("SET", "done", "of another program");
		go.countDown();
		try (CommandLog log = CommandLog.of(this.redis)) {
			// One renewal each second
			Awaitility.await()
				.atMost(FaultHarness.LONG_ENOUGH)
				.until(() -> log.count("XCLAIM") > 12 || (Long) partition.call("HLEN", "failures") > 0);
		}
		assertThat(partition.call("HLEN", "failures")).as("counted crashes").isEqualTo(0L);
		partition.call("DEL", "done");

		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runsOf("m")).extracting(Ledger.Run::attempt).containsExactly(1);
	}

	/** The idle time of an entry without a lease: a very large number. */
	private long idleMillisOfTheOnlyLease() {
		List<?> leases = (List<?>) this.redis.call("XPENDING", this.harness.key("ready"), "consumers", "-", "+", "1");
		return leases.isEmpty() ? Long.MAX_VALUE : (Long) ((List<?>) leases.get(0)).get(2);
	}

	@Test
	@DisplayName("row 47: two thousand pending messages of a silent consumer are reclaimed soon")
	void messagesOfASilentConsumerAreReclaimed() {
		takeBack(2_000);
	}

	@Test
	@DisplayName("row 47: twenty thousand pending messages of a silent consumer are reclaimed soon")
	void manyMessagesOfASilentConsumerAreReclaimed() {
		takeBack(20_000);
	}

	private void takeBack(int messages) {
		ConfigurableApplicationContext other = prepare(messages, "p");
		ReadyMessages ready = new ReadyMessages(other.getBean(DelayQueueEngine.class).calls());
		Partition partition = new Partition(Worker.QUEUE, 0);
		for (int taken = 0; taken < messages;) {
			new DueMessages(other.getBean(DelayQueueEngine.class).calls()).sweep(partition,
					new SweepLimits(1000, 100_000, GroupLimit.NONE, Map.of()), "", "none", 0);
			taken += ready.read(partition, "silent", 1000).entries().size();
		}

		this.harness.start();

		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat((List<?>) this.redis.call("XPENDING", this.harness.key("ready"),
					"consumers", "-", "+", "1", "silent"))
				.isEmpty());
	}

	@Test
	@DisplayName("payloads of 256 KB slow down neither the sweep nor the reclaim")
	void largePayloadsSlowDownNoScript() {
		handleLarge(40);
	}

	@Test
	@DisplayName("a whole batch of payloads of 256 KB slows down neither the sweep nor the reclaim")
	void wholeBatchOfLargePayloadsSlowsDownNoScript() {
		handleLarge(200);
	}

	private void handleLarge(int messages) {
		ConfigurableApplicationContext other = prepare(messages, "x".repeat(250_000));
		Partition partition = new Partition(Worker.QUEUE, 0);
		assertThat(new DueMessages(other.getBean(DelayQueueEngine.class).calls())
			.sweep(partition, new SweepLimits(200, 1000, GroupLimit.NONE, Map.of()), "", "none", 0)
			.moved()).isEqualTo(messages);
		new ReadyMessages(other.getBean(DelayQueueEngine.class).calls()).read(partition, "silent", messages);

		this.harness.with("delayqueue.defaults.concurrency=4").start();

		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.redis.call("HLEN", this.harness.key("messages"))).isEqualTo(0L));
		assertThat(this.harness.ledger().handled()).hasSize(messages);
	}

	/** Stores due messages, and returns a process that will be silent. */
	private ConfigurableApplicationContext prepare(int messages, String payload) {
		ConfigurableApplicationContext other = this.harness.application().start();
		DelayQueueOperations queue = other.getBean(DelayQueueOperations.class);
		for (int from = 0; from < messages; from += 1000) {
			queue.scheduleAll(IntStream.range(from, Math.min(messages, from + 1000))
				.mapToObj(
						(i) -> ScheduleRequest.to(Worker.QUEUE).payload("m-" + i + " " + payload).delay(Duration.ZERO))
				.toList());
		}
		return other;
	}

	/** Delivers the messages in one step, so that no other consumer can take them. */
	private void silentConsumerTakes(int messages) {
		this.harness.scheduleAll("s", messages, Duration.ofHours(2));
		for (int i = 0; i < messages; i++) {
			String id = this.harness.id("s-" + String.format("%05d", i));
			this.redis.call("EVAL",
					"local e = redis.call('XADD', KEYS[1], '*', 'id', ARGV[1]);"
							+ "redis.call('HSET', KEYS[2], ARGV[1], e); redis.call('ZREM', KEYS[3], ARGV[1]);"
							+ "redis.call('XREADGROUP', 'GROUP', 'consumers', 'silent', 'COUNT', 1, 'STREAMS',"
							+ " KEYS[1], '>')",
					"3", this.harness.key("ready"), this.harness.key("entries"), this.harness.key("scheduled"), id);
			this.harness.awaitState(id, MessageState.PENDING);
		}
	}

}
