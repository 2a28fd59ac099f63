package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.delivery.FailureNote.Reason;
import io.delayqueue.journey.fixture.ActorBench;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.StoredId;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When the settlement writer writes settlements, and how it behaves while Redis is
 * unreachable or refuses calls.
 */
@Tag("slow")
class SettlementWriterIntegrationTests extends GatedPartition {

	private final Recorder recorder = new Recorder();

	private final ConsumerState state = TestActors.state(TestActors.settings(this.partition, 2, 3), this.gate);

	private final SettlementWriter settlementWriter = settlementWriter(shared, this.partition, this.state);

	@AfterEach
	void stopSettlementWriter() {
		this.settlementWriter.stop(Duration.ZERO);
	}

	@Test
	void eachKindOfSettlementMovesItsMessageToTheRightKey() {
		List<DeliveryTask> tasks = take(shared, this.partition, 5);
		FailureNote note = Reason.CRASHED.because("it failed");
		this.settlementWriter.start();

		this.settlementWriter.add(Settlement.acknowledge(tasks.get(0)));
		this.settlementWriter.add(Settlement.release(tasks.get(1)));
		this.settlementWriter.add(Settlement.retry(tasks.get(2), Duration.ofHours(1), note));
		this.settlementWriter.add(Settlement.defer(tasks.get(3), Duration.ofHours(2)));
		this.settlementWriter.add(Settlement.deadLetter(tasks.get(4), note));

		awaitStage(Stage.SETTLED, tasks);
		assertThat(this.recorder.released).hasValue(1);
		assertThat(this.recorder.deadLettered).containsExactly("m-4");
		assertThat(shared.call("HKEYS", this.partition, "messages")).doesNotContain("m-0");
		assertThat(shared.call("ZRANGE", this.partition, "scheduled", "0", "-1")).isEqualTo("[m-1, m-2, m-3]");
		assertThat(shared.call("ZRANGE", this.partition, "dead", "0", "-1")).isEqualTo("[m-4]");
		assertThat(shared.call("XLEN", this.partition, "ready")).isEqualTo("0");
	}

	@Test
	void settlementsThatWaitedForGateAreWrittenInOneCall() {
		closeGate();
		this.settlementWriter.start();
		List<DeliveryTask> tasks = take(shared, this.partition, 50);
		tasks.forEach((task) -> this.settlementWriter.add(Settlement.acknowledge(task)));
		awaitSettlementsOfAnother();
		assertThat(calls("acknowledge")).isZero();

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.settlementWriter.wakeUp();

		awaitStage(Stage.SETTLED, tasks);
		assertThat(calls("acknowledge")).isEqualTo(1);
	}

	@Test
	void failuresOfManyMessagesAreWrittenInOneCallForEachKind() {
		closeGate();
		this.settlementWriter.start();
		List<DeliveryTask> tasks = take(shared, this.partition, 100);
		FailureNote note = Reason.CRASHED.because("it failed");
		tasks.subList(0, 50)
			.forEach((task) -> this.settlementWriter.add(Settlement.retry(task, Duration.ofHours(1), note)));
		tasks.subList(50, 100).forEach((task) -> this.settlementWriter.add(Settlement.deadLetter(task, note)));

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		this.settlementWriter.wakeUp();

		awaitStage(Stage.SETTLED, tasks);
		assertThat(calls("settle")).isEqualTo(2);
		assertThat(shared.call("ZCARD", this.partition, "scheduled")).isEqualTo("50");
		assertThat(shared.call("ZCARD", this.partition, "dead")).isEqualTo("50");
		assertThat(this.recorder.deadLettered).hasSize(50);
	}

	@Test
	void failuresWithStackTracesAreWrittenTwentyAtATime() {
		QueueSettings settings = TestActors.settings(
				this.partition, 2, new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
						BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of(), RetrySettings.DEFAULT_MAX_HOLD, 20_000),
				FlowSettings.NONE);
		closeGate();
		SettlementWriter writer = settlementWriter(shared, this.partition, TestActors.state(settings, this.gate));
		writer.start();
		List<DeliveryTask> tasks = take(shared, this.partition, 100);
		FailureNote note = Reason.CRASHED.because("it failed");
		tasks.forEach((task) -> writer
			.add(Settlement.retry(task, Duration.ofHours(1), note).after(Duration.ofSeconds(1), "s".repeat(20_000))));

		this.answers.set(true);
		Awaitility.await().until(this.gate::isOpen);
		writer.wakeUp();

		awaitStage(Stage.SETTLED, tasks);
		assertThat(calls("settle")).isEqualTo(5);
		writer.stop(Duration.ZERO);
	}

	@Test
	void settlementOfMissingMessageIsReportedAsNotCounted() {
		DeliveryTask task = take(shared, this.partition, 1).get(0);
		shared.call("DEL", this.partition, "entries");
		this.settlementWriter.start();

		this.settlementWriter.add(Settlement.deadLetter(task, Reason.CRASHED.because("it failed")));

		awaitStage(Stage.SETTLED, List.of(task));
		assertThat(this.recorder.deadLettered).isEmpty();
	}

	@Test
	void refusedKindWaitsWithoutPermitWhileOtherKindsContinue() {
		List<DeliveryTask> tasks = take(shared, this.partition, 4);
		shared.call("SET", this.partition, "dead", "of another type");
		this.settlementWriter.start();
		FailureNote note = Reason.CRASHED.because("it failed");

		this.settlementWriter.add(Settlement.deadLetter(tasks.get(0), note));
		this.settlementWriter.add(Settlement.deadLetter(tasks.get(1), note));
		awaitStage(Stage.REFUSED, tasks.subList(0, 2));
		this.settlementWriter.add(Settlement.acknowledge(tasks.get(2)));
		this.settlementWriter.add(Settlement.retry(tasks.get(3), Duration.ofHours(1), note));
		awaitStage(Stage.SETTLED, tasks.subList(2, 4));
		assertThat(this.state.isReadable(TestActors.first(this.state))).as("as many as the concurrency").isFalse();
		assertThat(this.tasks.statuses()).anyMatch((status) -> status.failures() > 0);

		shared.call("DEL", this.partition, "dead");

		awaitStage(Stage.SETTLED, tasks);
		assertThat(this.state.isReadable(TestActors.first(this.state))).isTrue();
		assertThat(this.recorder.deadLettered).containsExactlyInAnyOrder("m-0", "m-1");
	}

	@Test
	void messageWithForeignLayoutIsSettledAfterLayoutIsRestored() {
		DeliveryTask task = take(shared, this.partition, 1).get(0);
		shared.layout(this.partition, 3);
		this.settlementWriter.start();
		this.settlementWriter.add(Settlement.acknowledge(task));
		Awaitility.await().until(() -> calls("acknowledge") >= 2);
		assertThat(task.stage()).isEqualTo(Stage.REFUSED);
		assertThat(this.tasks.statuses()).as("no fault of Redis").extracting(TaskStatus::failures).containsOnly(0);

		shared.layout(this.partition, 1);

		awaitStage(Stage.SETTLED, List.of(task));
	}

	@Test
	void unreachableRedisClosesGateAndCallIsRepeated() {
		try (RedisServer server = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
				ActorBench bench = new ActorBench(server.uri());
				RedisGate probing = new RedisGate(this.tasks, bench.calls()::answers)) {
			Partition orders = bench.partition();
			SettlementWriter surviving = settlementWriter(bench, orders,
					TestActors.state(TestActors.settings(orders, 2, 3), probing));
			DeliveryTask task = take(bench, orders, 1).get(0);
			surviving.start();

			server.kill();
			surviving.add(Settlement.deadLetter(task, Reason.CRASHED.because("it failed")));
			Awaitility.await().until(() -> !probing.isOpen());
			server.start();
			Awaitility.await().until(probing::isOpen);
			surviving.wakeUp();

			awaitStage(Stage.SETTLED, List.of(task));
			assertThat(this.recorder.deadLettered).containsExactly("m-0");
			surviving.stop(Duration.ZERO);
		}
	}

	@Test
	void nothingIsSettledAfterStop() {
		DeliveryTask task = take(shared, this.partition, 1).get(0);
		this.settlementWriter.start();

		assertThat(this.settlementWriter.stop(Duration.ofMinutes(1))).isTrue();
		this.settlementWriter.add(Settlement.acknowledge(task));

		awaitSettlementsOfAnother();
		assertThat(calls("acknowledge")).isZero();
	}

	private int calls(String script) {
		return shared.scripts(script, this.partition).size();
	}

	private void awaitSettlementsOfAnother() {
		Partition other = shared.partition();
		SettlementWriter another = settlementWriter(shared, other, TestActors.state(other, 2));
		another.start();
		List<DeliveryTask> tasks = take(shared, other, 10);
		for (DeliveryTask task : tasks) {
			another.add(Settlement.acknowledge(task));
			awaitStage(Stage.SETTLED, List.of(task));
		}
		another.stop(Duration.ZERO);
	}

	private SettlementWriter settlementWriter(ActorBench bench, Partition of, ConsumerState with) {
		return new SettlementWriter(of, with, new PendingMessages(bench.calls()),
				TestActors.listener(bench, with, new Signals(), this.recorder), new HoldWriter(with,
						bench.holds(new Signals(), bench.fleet(new Signals(), with.gate()), this.recorder), this.tasks),
				this.tasks);
	}

	private static void awaitStage(Stage stage, List<DeliveryTask> tasks) {
		Awaitility.await().until(() -> tasks.stream().allMatch((task) -> task.stage() == stage));
	}

	private static List<DeliveryTask> take(ActorBench bench, Partition of, int messages) {
		IntStream.range(0, messages).forEach((i) -> bench.schedule(of, "m-" + i, Duration.ZERO));
		return bench.take(of, TestActors.CONSUMER).stream().map((entry) -> TestActors.task(of, entry)).toList();
	}

	private static final class Recorder implements QueueObserver {

		private final List<String> deadLettered = new CopyOnWriteArrayList<>();

		private final AtomicInteger released = new AtomicInteger();

		@Override
		public void deadLettered(String queue, StoredId id, String reason, @Nullable String exception, String message) {
			this.deadLettered.add(id.id());
		}

		@Override
		public void released(String queue, int messages) {
			this.released.addAndGet(messages);
		}

	}

}
