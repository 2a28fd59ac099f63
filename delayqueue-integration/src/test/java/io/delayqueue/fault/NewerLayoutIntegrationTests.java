package io.delayqueue.fault;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.RedisRefusedException;
import io.delayqueue.actuate.DelayQueueHealthIndicator;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.UpgradedQueue;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.store.Partitioner;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.Scripts;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Partitions with the layout of a future version.
 */
@Tag("slow")
class NewerLayoutIntegrationTests extends UpgradedQueue {

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
		assertThat(this.context.getBean(DelayQueueEngine.class).tasks().statuses())
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

	private List<String> handled(String id) {
		return this.trees.handled.stream().filter((line) -> line.startsWith(id + " ")).toList();
	}

	private Health health() {
		return Objects.requireNonNull(this.context.getBean(DelayQueueHealthIndicator.class).health());
	}

}
