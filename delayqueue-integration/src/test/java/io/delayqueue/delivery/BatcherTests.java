package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.FailureRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * When batches are closed.
 */
class BatcherTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final TaskPool tasks = new TaskPool();

	private final List<List<String>> later = new CopyOnWriteArrayList<>();

	@AfterEach
	void stop() {
		this.tasks.close();
	}

	@Test
	void fullBatchIsClosedAtOnceAndRestWaits() {
		Batcher batcher = batcher(new BatchSettings(3, MINUTE, false), 100);

		assertThat(add(batcher, "a", "b")).isEmpty();
		assertThat(add(batcher, "c", "d")).containsExactly(List.of("a", "b", "c"));
		assertThat(add(batcher, "e", "f", "g", "h", "i")).containsExactly(List.of("d", "e", "f"),
				List.of("g", "h", "i"));
		assertThat(batcher.takeWaiting()).isEmpty();
	}

	@Test
	void eachGroupHasItsBatchAndMessagesWithoutGroupShareOne() {
		Batcher batcher = batcher(new BatchSettings(2, MINUTE, true), 100);

		assertThat(add(batcher, "a/1", "b/1", "c")).isEmpty();
		assertThat(add(batcher, "b/2", "d", "a/2", "b/3")).containsExactly(List.of("b/1", "b/2"), List.of("c", "d"),
				List.of("a/1", "a/2"));
		assertThat(ids(batcher.takeWaiting())).containsExactly("b/3");
	}

	@Test
	void messageThatFailedBeforeIsHandledAloneAtOnce() {
		Batcher batcher = batcher(new BatchSettings(2, MINUTE, true), 100);
		FailureRecord once = new FailureRecord(1, 0, 0, null);

		List<List<DeliveryTask>> closed = batcher
			.add(List.of(HandlerInvokerTests.task("a/1", "a", 0), HandlerInvokerTests.task("a/2", "a", 0, once),
					HandlerInvokerTests.task("a/3", "a", 0, once), HandlerInvokerTests.task("b/1", "b", 0)));

		assertThat(closed).extracting((batch) -> ids(batch)).containsExactly(List.of("a/2"), List.of("a/3"));
		assertThat(ids(batcher.takeWaiting())).containsExactly("a/1", "b/1");
	}

	@Test
	void groupsAreIgnoredUnlessBatchesAreByGroup() {
		Batcher batcher = batcher(new BatchSettings(2, MINUTE, false), 100);

		assertThat(add(batcher, "a/1", "b/1")).containsExactly(List.of("a/1", "b/1"));
	}

	@Test
	void withoutBatchWaitBatchesAreClosedAtOnce() {
		Batcher batcher = batcher(new BatchSettings(3, Duration.ZERO, true), 100);

		assertThat(add(batcher, "a/1", "b/1", "a/2", "a/3", "a/4")).containsExactly(List.of("a/1", "a/2", "a/3"),
				List.of("b/1"), List.of("a/4"));
		assertThat(batcher.takeWaiting()).isEmpty();
	}

	@Test
	void timerClosesBatchAfterBatchWait() {
		Batcher batcher = batcher(new BatchSettings(10, Duration.ofMillis(50), true), 100);

		assertThat(add(batcher, "a/1", "b/1")).isEmpty();

		Awaitility.await().until(() -> this.later.size() == 2);
		assertThat(this.later).containsExactlyInAnyOrder(List.of("a/1"), List.of("b/1"));
		assertThat(batcher.takeWaiting()).isEmpty();
		assertThat(add(batcher, "a/2")).isEmpty();
		Awaitility.await().until(() -> this.later.size() == 3);
	}

	@Test
	void largestBatchIsClosedWhenWaitingMessagesHoldAllPermits() {
		Batcher batcher = batcher(new BatchSettings(4, MINUTE, true), 6);

		assertThat(add(batcher, "a/1", "b/1", "b/2", "c/1", "c/2")).isEmpty();
		assertThat(add(batcher, "a/2")).as("the oldest of the largest").containsExactly(List.of("a/1", "a/2"));
		assertThat(add(batcher, "c/3", "d/1")).containsExactly(List.of("c/1", "c/2", "c/3"));
		assertThat(ids(batcher.takeWaiting())).containsExactly("b/1", "b/2", "d/1");
	}

	@Test
	void messagesThatWereTakenAreNotInLaterBatch() {
		Batcher batcher = batcher(new BatchSettings(2, MINUTE, false), 2);
		add(batcher, "a");

		assertThat(ids(batcher.takeWaiting())).containsExactly("a");

		assertThat(batcher.takeWaiting()).isEmpty();
		assertThat(add(batcher, "b")).as("a permit is free again").isEmpty();
		assertThat(add(batcher, "c")).containsExactly(List.of("b", "c"));
	}

	@Test
	void batchIsOrderedByDueTimeAndThenById() {
		Batcher batcher = batcher(new BatchSettings(4, MINUTE, false), 100);

		assertThat(
				ids(batcher.add(List.of(HandlerInvokerTests.task("d", null, 7), HandlerInvokerTests.task("c", null, 5),
						HandlerInvokerTests.task("b", null, 7), HandlerInvokerTests.task("a", null, 9)))
					.get(0)))
			.containsExactly("c", "b", "d", "a");
	}

	@Test
	void batcherIsRegisteredForHealthUntilStopped() {
		Batcher batcher = batcher(new BatchSettings(4, MINUTE, false), 100);
		add(batcher, "a");
		assertThat(this.tasks.statuses()).hasSize(1);
		batcher.stop();
		assertThat(this.tasks.statuses()).isEmpty();
	}

	@Test
	void settingsOutOfBoundsAreReportedTogether() {
		assertThatIllegalArgumentException().isThrownBy(() -> new BatchSettings(0, Duration.ofMillis(60_001), false))
			.withMessage("batch is 0 but must be from 1 to 1000; batchWait is 1m 1ms but must be from 0s to 1m");
	}

	@Test
	void permitsSufficeForTwoBatchesOrQueueConcurrency() {
		BatchSettings settings = new BatchSettings(128, Duration.ofSeconds(10), false);
		assertThat(settings.concurrencyFor(queue(10))).isEqualTo(256);
		assertThat(settings.concurrencyFor(queue(1000))).isEqualTo(1000);
		assertThat(new BatchSettings(1000, Duration.ZERO, true).concurrencyFor(queue(10))).as("ten groups")
			.isEqualTo(10_000);
		assertThat(settings.batchesAtOnce(1000)).isEqualTo(7);
		assertThat(settings.batchesAtOnce(128)).isEqualTo(1);
		assertThat(settings.isWithin(queue(10))).as("a third of 30 s").isFalse();
		assertThat(new BatchSettings(128, Duration.ofMillis(9999), false).isWithin(queue(10))).isTrue();
	}

	private Batcher batcher(BatchSettings settings, int permits) {
		ConsumerState state = TestActors.state(queue(permits), new RedisGate(this.tasks, null));
		return new Batcher(settings, state, null, (batches) -> batches.forEach((batch) -> this.later.add(ids(batch))),
				this.tasks);
	}

	private static QueueSettings queue(int concurrency) {
		return new QueueSettings("test", 1, concurrency, Duration.ofSeconds(30), Duration.ofDays(1), 1024,
				Duration.ofSeconds(10), Duration.ofMinutes(2), new RetrySettings(1, 1, 1, 1, Duration.ofHours(1),
						BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of()),
				GroupSettings.NONE, ExpirySettings.NEVER, FlowSettings.NONE, EndSettings.NONE);
	}

	/** The part of an id before a slash is its group. */
	private static List<List<String>> add(Batcher batcher, String... ids) {
		List<DeliveryTask> tasks = new ArrayList<>();
		for (String id : ids) {
			tasks.add(HandlerInvokerTests.task(id, (id.indexOf('/') > 0) ? id.substring(0, id.indexOf('/')) : null, 0));
		}
		return batcher.add(tasks).stream().map((batch) -> ids(batch)).toList();
	}

	private static List<String> ids(List<DeliveryTask> tasks) {
		return tasks.stream().map(DeliveryTask::id).toList();
	}

}
