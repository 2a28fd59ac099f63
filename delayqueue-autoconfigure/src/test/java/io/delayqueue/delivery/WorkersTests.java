package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WorkersTests {

	private final List<List<DeliveryTask>> done = new ArrayList<>();

	private final List<Runnable> accepted = new ArrayList<>();

	private final int processors = Runtime.getRuntime().availableProcessors();

	@Test
	void workThatEndsAtOnceCountsAsTaken() {
		Workers workers = new Workers(2, Runnable::run, this::done, () -> {
		});

		assertThat(workers.add(List.of(List.of(HandlerInvokerTests.task("a")), List.of(HandlerInvokerTests.task("b")))))
			.isTrue();

		assertThat(this.done).hasSize(2);
		assertThat(workers.areIdle()).isTrue();
	}

	@Test
	void fewWorkersStartForShortHandlers() {
		AtomicInteger started = new AtomicInteger();
		Workers workers = new Workers(10 * this.processors, (drain) -> {
			started.incrementAndGet();
			drain.run();
		}, this::done, () -> {
		});

		assertThat(workers.add(calls(10 * this.processors))).isTrue();

		assertThat(this.done).hasSize(10 * this.processors);
		assertThat(started).hasValue(this.processors);
	}

	@Test
	void eachCallGetsWorkerIfFirstWorkersTakeNone() {
		Workers workers = new Workers(10 * this.processors, this.accepted::add, this::done, () -> {
		});

		assertThat(workers.add(calls(10 * this.processors))).isTrue();

		assertThat(this.accepted).hasSize(10 * this.processors);
	}

	@Test
	void workIsTakenByNextFreeWorkerWhenAllAreBusy() {
		Workers workers = new Workers(1, this.accepted::add, this::done, () -> {
		});

		assertThat(workers.add(List.of(List.of(HandlerInvokerTests.task("a"))))).isTrue();
		assertThat(workers.add(List.of(List.of(HandlerInvokerTests.task("b"))))).isTrue();

		assertThat(this.accepted).hasSize(1);
		this.accepted.get(0).run();
		assertThat(this.done).hasSize(2);
	}

	@Test
	void workWithoutThreadIsTakenBackAfterTimeout() {
		Workers workers = new Workers(2, this.accepted::add, this::done, () -> {
		});
		workers.add(List.of(List.of(HandlerInvokerTests.task("a"))));

		assertThat(workers.takeStuck(Long.MAX_VALUE)).isEmpty();
		assertThat(workers.takeStuck(0)).extracting(DeliveryTask::id).containsExactly("a");
		this.accepted.get(0).run();
		assertThat(this.done).isEmpty();
		assertThat(workers.areIdle()).isTrue();
	}

	@Test
	void workThatExecutorRejectsStaysUnstarted() {
		Workers workers = new Workers(2, (work) -> {
			throw new RejectedExecutionException("full");
		}, this::done, () -> {
		});

		assertThat(workers.add(List.of(List.of(HandlerInvokerTests.task("a"))))).isFalse();

		assertThat(workers.takeUnstarted()).extracting(DeliveryTask::id).containsExactly("a");
		assertThat(workers.areIdle()).isTrue();
	}

	@Test
	void workBehindAbandonedHandlerStaysUnstartedIfReplacementIsRejected() {
		AtomicBoolean full = new AtomicBoolean();
		List<Boolean> taken = new ArrayList<>();
		Workers[] workers = new Workers[1];
		workers[0] = new Workers(1, (drain) -> {
			if (full.getAndSet(true)) {
				throw new RejectedExecutionException("full");
			}
			drain.run();
		}, (call, callers) -> {
			this.done.add(call);
			callers.addBehind(List.of(List.of(HandlerInvokerTests.task("b"))));
			// The handler is abandoned, and returns only then
			assertThat(workers[0].letGo(Thread.currentThread())).isTrue();
			taken.add(workers[0].replaceOne());
		}, () -> {
		});

		workers[0].add(List.of(List.of(HandlerInvokerTests.task("a"))));

		assertThat(this.done).flatExtracting((call) -> call).extracting(DeliveryTask::id).containsExactly("a");
		assertThat(taken).containsExactly(false);
		assertThat(workers[0].takeUnstarted()).extracting(DeliveryTask::id).containsExactly("b");
		assertThat(workers[0].areIdle()).isTrue();
	}

	private static List<List<DeliveryTask>> calls(int count) {
		return IntStream.range(0, count).mapToObj((i) -> List.of(HandlerInvokerTests.task("m" + i))).toList();
	}

	private void done(List<DeliveryTask> call, Workers callers) {
		this.done.add(call);
	}

}
