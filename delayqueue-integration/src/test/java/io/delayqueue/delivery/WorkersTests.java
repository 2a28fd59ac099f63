package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class WorkersTests {

	private static final int MANY = 200;

	private final List<List<DeliveryTask>> done = new ArrayList<>();

	private final List<Runnable> accepted = new ArrayList<>();

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
		CountDownLatch measured = new CountDownLatch(1);
		List<List<DeliveryTask>> handled = Collections.synchronizedList(new ArrayList<>());
		Workers workers = new Workers(MANY, (drain) -> {
			started.incrementAndGet();
			new Thread(() -> {
				awaitZero(measured);
				drain.run();
			}).start();
		}, (call, callers) -> handled.add(call), () -> {
		}, () -> {
			measured.countDown();
			// No time passes, so the first workers are fast
			return 0;
		});

		assertThat(workers.add(calls(MANY))).isTrue();

		assertThat(started).hasValue(Math.min(20, Runtime.getRuntime().availableProcessors()));
		await().until(() -> handled.size() == MANY);
	}

	@Test
	void callsThatArriveMeanwhileGetWorkersIfHandlersBecomeSlow() {
		int added = 50;
		CountDownLatch fast = new CountDownLatch(added);
		CountDownLatch end = new CountDownLatch(1);
		AtomicLong readings = new AtomicLong(-1);
		Workers[] workers = new Workers[1];
		workers[0] = new Workers(MANY, this.accepted::add, (call, callers) -> {
			if (fast.getCount() == 0) {
				awaitZero(end);
			}
			fast.countDown();
		}, () -> {
		}, () -> {
			if (readings.incrementAndGet() == 1) {
				workers[0].addBehind(calls(added));
				new Thread(this.accepted.get(0)).start();
				awaitZero(fast);
			}
			return TimeUnit.MILLISECONDS.toNanos((readings.get() > 1) ? 2 : 0);
		});

		assertThat(workers[0].add(calls(added))).isTrue();

		assertThat(this.accepted).hasSize(added);
		end.countDown();
	}

	@Test
	void eachCallGetsWorkerIfFirstWorkersTakeNone() {
		Workers workers = new Workers(MANY, this.accepted::add, this::done, () -> {
		});

		assertThat(workers.add(calls(MANY))).isTrue();

		assertThat(this.accepted).hasSize(MANY);
	}

	@Test
	void fewCallsGetWorkersAtOnce() {
		AtomicInteger clockReadings = new AtomicInteger();
		Workers workers = new Workers(MANY, this.accepted::add, this::done, () -> {
		}, clockReadings::incrementAndGet);

		assertThat(workers.add(calls(20))).isTrue();

		assertThat(this.accepted).hasSize(20);
		assertThat(clockReadings).hasValue(0);
	}

	@Test
	void workStaysUnstartedIfExecutorRejectsWorkersAfterFirstOneHasEnded() {
		AtomicBoolean full = new AtomicBoolean();
		Workers[] workers = new Workers[1];
		workers[0] = new Workers(1, (drain) -> {
			if (full.getAndSet(true)) {
				throw new RejectedExecutionException("full");
			}
			drain.run();
			workers[0].addBehind(calls(1));
		}, this::done, () -> {
		});

		assertThat(workers[0].add(calls(2))).isFalse();

		assertThat(this.done).hasSize(2);
		assertThat(workers[0].takeUnstarted()).hasSize(1);
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

	private static void awaitZero(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException interrupted) {
			throw new IllegalStateException(interrupted);
		}
	}

	private static List<List<DeliveryTask>> calls(int count) {
		return IntStream.range(0, count).mapToObj((i) -> List.of(HandlerInvokerTests.task("m" + i))).toList();
	}

	private void done(List<DeliveryTask> call, Workers callers) {
		this.done.add(call);
	}

}
