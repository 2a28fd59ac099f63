package io.delayqueue.lifecycle;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecurringTurnTests {

	private static final long HOUR = TimeUnit.HOURS.toNanos(1);

	private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);

	private final LoopRegistry loops = new LoopRegistry();

	private final AtomicInteger turns = new AtomicInteger();

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
	}

	private RecurringTurn turn(BackgroundLoop.Body body) {
		return new RecurringTurn("The test", body, this.threads, this.threads, this.loops::remove);
	}

	private void awaitTurns(int count) {
		Awaitility.await().until(() -> this.turns.get() >= count);
	}

	@Test
	void nextTurnRunsAfterReturnedWait() {
		RecurringTurn turn = turn(() -> (this.turns.incrementAndGet() < 5) ? 0 : HOUR);
		turn.dueIn(0);

		awaitTurns(5);
		assertThat(turn.status().failures()).isZero();
	}

	@Test
	void earlierTurnCanBeRequestedAlsoWhileTurnRuns() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		RecurringTurn turn = turn(() -> {
			if (this.turns.incrementAndGet() == 1) {
				running.countDown();
				go.await();
			}
			return HOUR;
		});
		turn.dueIn(HOUR);
		turn.dueIn(0);
		running.await();
		turn.dueIn(0);
		go.countDown();

		awaitTurns(2);
		turn.dueIn(0);
		awaitTurns(3);
	}

	@Test
	void requestDoesNotShortenBackOffOfFailedTurn() {
		AtomicLong failedAt = new AtomicLong();
		AtomicLong nextAt = new AtomicLong();
		AtomicReference<RecurringTurn> self = new AtomicReference<>();
		RecurringTurn turn = turn(() -> {
			if (failedAt.get() == 0) {
				self.get().dueIn(0);
				failedAt.set(System.nanoTime());
				this.turns.incrementAndGet();
				throw new IllegalStateException("broken");
			}
			nextAt.set(System.nanoTime());
			this.turns.incrementAndGet();
			return HOUR;
		});
		self.set(turn);
		turn.dueIn(0);

		awaitTurns(2);
		assertThat(nextAt.get() - failedAt.get()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(40));
	}

	@Test
	void atMostOneTurnRuns() {
		AtomicInteger together = new AtomicInteger();
		AtomicBoolean overlapped = new AtomicBoolean();
		RecurringTurn turn = turn(() -> {
			overlapped.compareAndSet(false, together.incrementAndGet() > 1);
			together.decrementAndGet();
			this.turns.incrementAndGet();
			return 1;
		});
		for (int i = 0; i < 1000; i++) {
			turn.dueIn(0);
		}
		awaitTurns(100);
		turn.stop();
		assertThat(overlapped).isFalse();
	}

	@Test
	void turnsContinueAfterFailureAndStatusReportsIt() {
		AtomicBoolean failing = new AtomicBoolean(true);
		RecurringTurn turn = turn(() -> {
			this.turns.incrementAndGet();
			if (failing.get()) {
				throw new AssertionError("broken");
			}
			return HOUR;
		});
		turn.dueIn(0);
		awaitTurns(2);
		assertThat(turn.status().lastFailure()).hasMessage("broken");
		failing.set(false);
		Awaitility.await().until(() -> turn.status().failures() == 0);
	}

	@Test
	void untriedTurnDoesNotCountAsSuccess() {
		RecurringTurn turn = turn(() -> {
			if (this.turns.incrementAndGet() == 1) {
				throw new IllegalStateException("broken");
			}
			return BackgroundLoop.untried(HOUR);
		});
		turn.dueIn(0);
		awaitTurns(2);
		assertThat(turn.status().failures()).isEqualTo(1);
	}

	@Test
	void rejectedTurnIsSubmittedAgain() {
		AtomicInteger refused = new AtomicInteger();
		RecurringTurn turn = new RecurringTurn("The test", () -> {
			this.turns.incrementAndGet();
			return HOUR;
		}, this.threads, (task) -> {
			if (refused.incrementAndGet() <= 3) {
				throw new RejectedExecutionException("busy");
			}
			this.threads.execute(task);
		}, this.loops::remove);
		turn.dueIn(0);
		awaitTurns(1);
		assertThat(refused).hasValue(4);
	}

	@Test
	void turnDoesNotRequestThreadWithinTurn() {
		ThreadLocal<Boolean> inTurn = ThreadLocal.withInitial(() -> false);
		AtomicBoolean requestedInTurn = new AtomicBoolean();
		RecurringTurn turn = new RecurringTurn("The test", () -> (this.turns.incrementAndGet() < 5) ? 0 : HOUR,
				this.threads, (task) -> {
					requestedInTurn.compareAndSet(false, inTurn.get());
					this.threads.execute(() -> {
						inTurn.set(true);
						task.run();
						inTurn.set(false);
					});
				}, this.loops::remove);
		turn.dueIn(0);
		awaitTurns(5);
		assertThat(requestedInTurn).isFalse();
	}

	@Test
	void noTurnRunsAfterStop() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		RecurringTurn turn = turn(() -> {
			this.turns.incrementAndGet();
			running.countDown();
			go.await();
			ended.countDown();
			return 0;
		});
		turn.dueIn(0);
		running.await();
		turn.stop();
		turn.dueIn(0);
		go.countDown();
		ended.await();
		this.threads.shutdown();
		assertThat(this.threads.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
		assertThat(this.turns).hasValue(1);
	}

}
