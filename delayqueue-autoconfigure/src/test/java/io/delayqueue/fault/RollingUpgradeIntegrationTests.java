package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.RawPartition;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.store.Partitioner;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A process of this version beside processes of a future version, whose data is written
 * by hand.
 */
@SuppressWarnings("NullAway.Init")
@ExtendWith(OutputCaptureExtension.class)
class RollingUpgradeIntegrationTests {

	/** A record as version 1 has always been written; its due time is in 2001. */
	private static final String VERSION_1 = "10001000000000000cxKq3-Z_0aB{\"headers\":{\"a\":\"1\"}}\n{\"from\":\"before\"}";

	private static final String VERSION_2 = "20001000000000000cxKq3-Z_0aB and fields of a future version";

	private RedisServer redis;

	private TestApplication application;

	private RawPartition partition;

	private DelayQueueOperations queue;

	private ConfigurableApplicationContext context;

	private Trees trees;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.application = new TestApplication(this.redis.uri()).with("delayqueue.sweeper.interval=100ms")
			.with("delayqueue.defaults.visibility-timeout=12s");
		this.partition = new RawPartition(this.redis, this.application.prefix() + ":{trees:0}:");
		startApplication();
	}

	private void startApplication() {
		this.context = this.application.start(Trees.class);
		this.queue = this.context.getBean(DelayQueueOperations.class);
		this.trees = this.context.getBean(Trees.class);
	}

	@AfterEach
	void stop() {
		this.trees.gate.release(1000);
		this.application.close();
		this.redis.close();
	}

	static class Trees {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<String> handled = new CopyOnWriteArrayList<>();

		final Semaphore gate = new Semaphore(0);

		@DelayedListener(queue = "trees")
		void handle(DelayedMessage<Map<String, Object>> tree) throws InterruptedException {
			this.begun.add(tree.id());
			if (tree.id().startsWith("held")) {
				this.gate.acquire();
			}
			this.handled.add(tree.id() + " " + tree.payload() + " " + tree.attempt());
		}

		@DelayedListener(queue = "bushes")
		void handleBush(DelayedMessage<Map<String, Object>> bush) {
			this.handled.add(bush.id() + " " + bush.payload() + " " + bush.attempt());
		}

	}

	@Test
	@DisplayName("row 48: records of an older version are read")
	void recordsOfAnOlderVersionAreRead() {
		this.partition.store("old", VERSION_1);

		awaitHandled("old {from=before} 1");
	}

	@Test
	@DisplayName("row 48: records of a newer version wait for a process that can read them, and are not changed")
	void recordsOfANewerVersionWaitForAProcessThatCanReadThem(CapturedOutput output) {
		schedule("trees", "first");
		awaitHandled("first {} 1");
		long delivered = this.partition.delivered();

		long before = this.partition.now();
		this.partition.store("new", VERSION_2);
		this.partition.store("newer", VERSION_2);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.partition.delivered() == delivered + 2 && this.partition.entries() == 0);
		schedule("trees", "last");
		awaitHandled("last {} 1");

		assertThat(this.partition.scheduled("new")).as("waits").isBetween(before + 1000, this.partition.now() + 15_000);
		assertThat(this.partition.call("HGET", "messages", "new")).isEqualTo(VERSION_2);
		assertThat(this.partition.call("HLEN", "failures")).as("counted crashes").isEqualTo(0L);
		assertThat(this.partition.call("ZCARD", "dead")).isEqualTo(0L);
		assertThat(this.partition.delivered()).as("deliveries").isEqualTo(delivered + 3);
		assertThat(output.getAll().split("were written by a newer version of this library", -1)).as("logged once")
			.hasSize(2);
		assertThat(output).contains("Messages of queue 'trees'", "record has version '2'");
		assertThat(this.queue.cancel("trees", "newer")).isEqualTo(CancelResult.CANCELLED);

		// The process that can read it receives a first attempt
		this.partition.store("new", VERSION_1);
		awaitHandled("new {from=before} 1");
		awaitEmpty();
	}

	@Test
	void recordsOfANewerVersionAreDeliveredAgainWhenTheyExpire() {
		long expiry = this.partition.now() + 12_000;
		this.partition.call("ZADD", "expiries", String.valueOf(expiry), "new");
		this.partition.store("new", VERSION_2);

		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.partition.call("ZSCORE", "scheduled", "new"), String.valueOf(expiry)::equals);
	}

	@Test
	@DisplayName("row 48: a partition with a newer layout is not touched until its layout is supported again")
	void partitionWithANewerLayoutIsNotTouched(CapturedOutput output) {
		schedule("trees", "held");
		schedule("trees", "held-too");
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.trees.begun.size() == 2);
		this.partition.layOut(3);
		this.trees.gate.release(1);
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.trees.handled.size() == 1);
		awaitLogged(output);
		this.partition.call("ZADD", "scheduled", "1", "due");
		String content = this.partition.content();

		try (CommandLog log = CommandLog.of(this.redis)) {
			long began = System.nanoTime();
			for (int i = 0; i < 20; i++) {
				schedule("bushes", "b-" + i);
				awaitHandled("b-" + i + " {} 1");
			}
			// More than 5 s, after which a consumer checks without a notification
			awaitWork(log, 60);
			assertThat(commands(log, Scripts.digest("read"))).as("reads").isZero();
			assertThat(commands(log, "XCLAIM")).as("heartbeats").isZero();
			// About ten sweeps and a settlement each second: nothing else, and no faster
			long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
			assertThat(commands(log, "EVALSHA")).as("calls in %s s", seconds).isLessThan(15 * (seconds + 1));
		}

		assertThat(this.partition.content()).isEqualTo(content);
		assertThat(timesLogged(output)).as("logged once").isEqualTo(1);
		assertThat(this.context.getBean(DelayQueueEngine.class).loops().statuses()).allMatch(LoopStatus::alive)
			.allMatch((status) -> status.failures() == 0);
		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health().getDetails().get("layouts").toString()).startsWith("{trees:0=not used")
			.contains("LAYOUT 3 is stored, 1 and 2 are known");
		assertThatExceptionOfType(RedisRefusedException.class).isThrownBy(() -> schedule("trees", "refused"))
			.withMessageContaining("another version of this library");

		this.partition.call("ZREM", "scheduled", "due");
		this.partition.layOut(1);
		this.trees.gate.release(1);
		schedule("trees", "after");

		awaitHandled("after {} 1");
		awaitEmpty();
		assertThat(handled("held")).hasSize(1);
		assertThat(handled("held-too")).hasSize(1);
		assertThat(output).contains("partition trees:0 have the layout of this version again");
		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void partitionWithANewerLayoutIsIgnoredWhenItsListenerIsStopped(CapturedOutput output) {
		this.partition.layOut(3);
		awaitLogged(output);
		assertThat(health().getStatus()).isEqualTo(Status.DOWN);

		this.context.getBean(DelayedListenerRegistry.class).stop("trees");

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).doesNotContainKey("layouts");
		assertThat(health().getDetails().get("queues").toString()).contains("trees={listener=stopped");
	}

	@Test
	void unsettledMessagesOfANewerLayoutDelayNeitherOtherPartitionsNorTheStop(CapturedOutput output) {
		this.context.close();
		this.redis.call("FLUSHALL");
		this.application.with("delayqueue.queues.trees.partitions=2")
			.with("delayqueue.queues.trees.concurrency=2")
			.with("spring.lifecycle.timeout-per-shutdown-phase=10m");
		startApplication();
		idsOfPartition(0, "held-").forEach((id) -> schedule("trees", id));
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.trees.begun.size() == 2);
		this.partition.layOut(3);
		this.trees.gate.release(2);

		List<String> free = idsOfPartition(1, "free-");
		free.forEach((id) -> schedule("trees", id));
		free.forEach((id) -> awaitHandled(id + " {} 1"));
		this.context.close();

		assertThat(output).contains("Queue 'trees' stops with 2 messages unsettled");
		assertThat(this.partition.pending()).as("left to processes that support the layout").isEqualTo(2);
	}

	@Test
	void noCrashIsCountedWhenTheLayoutIsSupportedAgain(CapturedOutput output) {
		this.context.close();
		this.redis.call("FLUSHALL");
		this.application.with("delayqueue.defaults.visibility-timeout=60s");
		startApplication();
		schedule("trees", "held");
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.trees.begun.size() == 1);
		this.partition.layOut(3);
		awaitLogged(output);
		// The heartbeat starts again, and must not renew for now
		RedisGate gate = this.context.getBean(DelayQueueEngine.class).gate();
		gate.lost(new IllegalStateException("for a moment"));
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(gate::isOpen);
		List<?> lease = this.partition.lease();
		this.partition.call("XCLAIM", "ready", "consumers", lease.get(1).toString(), "0", lease.get(0).toString(),
				"IDLE", "90000", "JUSTID");

		this.partition.layOut(1);

		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> (Long) this.partition.lease().get(2) < 50_000);
		assertThat(this.partition.call("HLEN", "failures")).as("counted crashes").isEqualTo(0L);
		this.trees.gate.release(1);
		awaitHandled("held {} 1");
		awaitEmpty();
		assertThat(this.trees.begun).hasSize(1);
	}

	private void schedule(String name, String id) {
		this.queue.schedule(ScheduleRequest.to(name).id(id).payload(Map.of()).delay(Duration.ZERO));
	}

	/** Two ids of a partition in a queue of two partitions. */
	private static List<String> idsOfPartition(int partition, String prefix) {
		return IntStream.range(0, 1000)
			.mapToObj((number) -> prefix + number)
			.filter((id) -> Partitioner.of(id, null, 2) == partition)
			.limit(2)
			.toList();
	}

	/** Waits for that many attempts to sweep the partition. */
	private void awaitWork(CommandLog log, int sweeps) {
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> commands(log, "EVALSHA") >= sweeps);
	}

	/** The commands on the untouched partition, by name or digest. */
	private long commands(CommandLog log, String name) {
		return log.commands()
			.stream()
			.filter((command) -> command.name().equals(name) || command.arguments().contains(name))
			.filter((command) -> command.arguments().stream().anyMatch((word) -> word.contains("{trees:0}")))
			.count();
	}

	private void awaitLogged(CapturedOutput output) {
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> timesLogged(output) > 0);
	}

	private static int timesLogged(CapturedOutput output) {
		return output.getAll().split("Partition trees:0 is skipped", -1).length - 1;
	}

	private void awaitHandled(String line) {
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.trees.handled.contains(line));
	}

	private List<String> handled(String id) {
		return this.trees.handled.stream().filter((line) -> line.startsWith(id + " ")).toList();
	}

	private void awaitEmpty() {
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> Objects.equals(this.partition.call("HLEN", "messages"), 0L) && this.partition.entries() == 0);
	}

	private Health health() {
		return Objects.requireNonNull(this.context.getBean(DelayQueueHealthIndicator.class).health());
	}

}
