package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class TaskTests {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private static final Pause FOREVER = Pause.of(Long.MAX_VALUE);

	private final TaskPool pool = new TaskPool();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final Semaphore runs = new Semaphore(0);

	/** The number of times that a task has given its thread back. */
	private final Semaphore givenBack = new Semaphore(0);

	@AfterEach
	void close() {
		this.pool.close();
		this.threads.shutdownNow();
	}

	private Pause run() {
		this.runs.release();
		return FOREVER;
	}

	/** A task that {@link #givenBack} observes. */
	private Task observed(Task.Work work) {
		return new Task("observed", work, this.pool, this::execute, false, true);
	}

	private void execute(Runnable command) {
		this.threads.execute(() -> {
			command.run();
			this.givenBack.release();
		});
	}

	@Test
	void taskRunsWhenItIsWokenAndIsListedFromThenOn() throws Exception {
		Task task = this.pool.task("test", this::run);
		assertThat(this.pool.statuses()).isEmpty();
		task.wake();
		this.runs.acquire();

		assertThat(this.pool.statuses()).extracting(TaskStatus::name).containsExactly("test");
		assertThat(task.stop(LONG_ENOUGH)).isTrue();
		assertThat(this.pool.statuses()).isEmpty();
	}

	@Test
	void unlistedTaskIsNotListed() throws Exception {
		this.pool.unlisted("test", this::run).wake();
		this.runs.acquire();

		assertThat(this.pool.statuses()).isEmpty();
	}

	@Test
	void threadHasTheNameOfItsTaskWhileItRunsTheTask() throws Exception {
		AtomicReference<Thread> thread = new AtomicReference<>();
		AtomicReference<String> name = new AtomicReference<>();
		this.pool.task("delayqueue-test-orders:0", () -> {
			thread.set(Thread.currentThread());
			name.set(Thread.currentThread().getName());
			return run();
		}).wake();
		this.runs.acquire();

		assertThat(name).hasValue("delayqueue-test-orders:0");
		await().until(() -> thread.get().getName().startsWith("delayqueue-idle-"));
	}

	@Test
	void nextRunFollowsAfterReturnedPause() throws Exception {
		AtomicInteger left = new AtomicInteger(5);
		Task task = this.pool.task("test", () -> {
			this.runs.release();
			return (left.decrementAndGet() > 0) ? Pause.of(0) : FOREVER;
		});
		task.wake();

		this.runs.acquire(5);
	}

	@Test
	void taskWithoutThreadRunsAgainAfterItsPause() throws Exception {
		observed(() -> {
			this.runs.release();
			return Pause.of(TimeUnit.MILLISECONDS.toNanos(220));
		}).wake();

		this.givenBack.acquire(3);
		assertThat(this.runs.availablePermits()).isGreaterThanOrEqualTo(3);
	}

	@Test
	void earlierRunCanBeRequestedAlsoWhileTaskRuns() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		Task task = this.pool.task("test", () -> {
			running.countDown();
			go.await();
			return run();
		});
		task.dueIn(TimeUnit.HOURS.toNanos(1));
		task.dueIn(TimeUnit.MILLISECONDS.toNanos(1));
		running.await();
		task.wake();
		go.countDown();

		this.runs.acquire(2);
		task.wake();
		this.runs.acquire();
	}

	@Test
	void noWakeUpIsLostWhileThreadIsGivenBack() throws Exception {
		Task task = observed(this::run);
		for (int n = 0; n < 20_000; n++) {
			task.wake();
			assertThat(this.runs.tryAcquire(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
			if (n % 200 == 0) {
				this.givenBack.acquire();
			}
		}
	}

	@Test
	void runsNeverOverlap() throws Exception {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		Task task = this.pool.task("test", () -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			running.decrementAndGet();
			return run();
		});
		CountDownLatch done = new CountDownLatch(4);
		for (int thread = 0; thread < 4; thread++) {
			this.threads.execute(() -> {
				for (int i = 0; i < 5_000; i++) {
					task.wake();
					if (i % 50 == 0) {
						task.stop();
						task.start();
					}
				}
				done.countDown();
			});
		}
		done.await();
		this.runs.acquire();
		assertThat(task.stop(LONG_ENOUGH)).isTrue();
		assertThat(most).hasValue(1);
	}

	@Test
	void requestDoesNotShortenPauseAfterFailedRun() throws Exception {
		AtomicLong failedAt = new AtomicLong();
		AtomicLong nextAt = new AtomicLong();
		AtomicReference<Task> self = new AtomicReference<>();
		Task task = this.pool.task("test", () -> {
			if (failedAt.get() == 0) {
				self.get().wake();
				failedAt.set(System.nanoTime());
				this.runs.release();
				throw new IllegalStateException("broken");
			}
			nextAt.set(System.nanoTime());
			return run();
		});
		self.set(task);
		task.wake();
		this.runs.acquire();
		task.wake();

		this.runs.acquire();
		assertThat(nextAt.get() - failedAt.get()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(40));
	}

	@Test
	void runsContinueAfterFailureAndStatusReportsIt() throws Exception {
		AtomicBoolean failing = new AtomicBoolean(true);
		this.pool.task("test", () -> {
			this.runs.release();
			if (failing.get()) {
				throw new AssertionError("broken");
			}
			return FOREVER;
		}).wake();
		this.runs.acquire(2);
		assertThat(status().lastFailure()).hasMessage("broken");
		failing.set(false);
		await().until(() -> status().failures() == 0);
	}

	@Test
	void untriedRunDoesNotCountAsSuccess() throws Exception {
		AtomicInteger number = new AtomicInteger();
		this.pool.task("test", () -> {
			this.runs.release();
			if (number.incrementAndGet() == 1) {
				throw new IllegalStateException("broken");
			}
			return Pause.untried(Long.MAX_VALUE);
		}).wake();
		this.runs.acquire(2);
		assertThat(status().failures()).isEqualTo(1);
	}

	private TaskStatus status() {
		return this.pool.statuses().get(0);
	}

	@Test
	void interruptOfOneRunDoesNotReachTheNextRun() throws Exception {
		AtomicInteger number = new AtomicInteger();
		AtomicBoolean interrupted = new AtomicBoolean();
		this.pool.task("test", () -> {
			interrupted.set(Thread.currentThread().isInterrupted());
			Thread.currentThread().interrupt();
			this.runs.release();
			return (number.incrementAndGet() < 3) ? Pause.of(0) : FOREVER;
		}).wake();
		this.runs.acquire(3);
		assertThat(interrupted).isFalse();
	}

	@Test
	void taskThatGetsNoThreadTriesAgain() throws Exception {
		AtomicInteger refusals = new AtomicInteger(3);
		Task task = new Task("test", this::run, this.pool, (command) -> {
			if (refusals.getAndDecrement() > 0) {
				throw new RejectedExecutionException("busy");
			}
			this.threads.execute(command);
		}, false, true);
		task.wake();
		this.runs.acquire();
		assertThat(status().failures()).isZero();
	}

	@Test
	void taskForWhichNoThreadCanBeCreatedTriesAgainAndReportsIt() throws Exception {
		AtomicBoolean full = new AtomicBoolean(true);
		Task task = new Task("test", this::run, this.pool, (command) -> {
			if (full.get()) {
				throw new OutOfMemoryError("no thread");
			}
			this.threads.execute(command);
		}, false, true);
		task.wake();
		await().until(() -> status().failures() >= 2);
		full.set(false);
		this.runs.acquire();
		await().until(() -> status().failures() == 0);
	}

	@Test
	void noRunFollowsAfterStop() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		Task task = this.pool.task("test", () -> {
			running.countDown();
			go.await();
			this.runs.release();
			return Pause.of(0);
		});
		task.wake();
		running.await();
		assertThat(task.stop(Duration.ZERO)).isFalse();
		task.wake();
		go.countDown();
		assertThat(task.stop(LONG_ENOUGH)).isTrue();
		task.wake();
		assertThat(task.stop(LONG_ENOUGH)).isTrue();
		assertThat(this.runs.availablePermits()).isOne();
	}

	@Test
	void taskThatStopsItselfDoesNotWaitForItself() throws Exception {
		AtomicReference<Task> self = new AtomicReference<>();
		Task task = this.pool.task("test", () -> {
			self.get().stop(LONG_ENOUGH.multipliedBy(100));
			return run();
		});
		self.set(task);
		task.wake();
		this.runs.acquire();
		assertThat(task.stop(LONG_ENOUGH)).isTrue();
	}

	@Test
	void stoppedTaskRunsAgainAfterItsRunUnderWayWhenItIsStartedAgain() throws Exception {
		CountDownLatch running = new CountDownLatch(1);
		CountDownLatch go = new CountDownLatch(1);
		Task task = this.pool.task("test", () -> {
			running.countDown();
			go.await();
			return run();
		});
		task.start();
		running.await();
		task.stop();
		task.start();
		assertThat(this.runs.availablePermits()).isZero();
		go.countDown();
		this.runs.acquire(2);
	}

	@Test
	void taskThatWasStoppedBeforeItsRunRunsWhenItIsStartedAgain() throws Exception {
		Task task = observed(this::run);
		task.dueIn(0);
		this.givenBack.acquire();
		task.dueIn(1);
		task.stop(LONG_ENOUGH);
		this.runs.drainPermits();
		task.start();
		this.runs.acquire();
	}

	@Test
	void limitedTaskWaitsForTasksOfItsServerOnly() throws Exception {
		ServerLimit limit = new ServerLimit(1);
		CountDownLatch go = new CountDownLatch(1);
		CountDownLatch running = new CountDownLatch(1);
		Semaphore second = new Semaphore(0);
		this.pool.task("hanging", limit, () -> "one", () -> {
			running.countDown();
			go.await();
			return FOREVER;
		}).wake();
		running.await();
		this.pool.task("second", limit, () -> "one", () -> {
			assertThat(go.getCount()).isZero();
			second.release();
			return FOREVER;
		}).wake();
		this.pool.task("other", limit, () -> "another", this::run).wake();

		this.runs.acquire();
		go.countDown();
		second.acquire();
	}

	/** A task that has more to do waits for those that were requested before. */
	@Test
	void limitedTasksRunInTurn() throws Exception {
		ServerLimit limit = new ServerLimit(1);
		List<String> order = new CopyOnWriteArrayList<>();
		CountDownLatch go = new CountDownLatch(1);
		for (String name : List.of("a", "b", "c")) {
			this.pool.task(name, limit, () -> "one", () -> {
				go.await();
				order.add(name);
				this.runs.release();
				return Pause.of(0);
			}).wake();
		}
		go.countDown();
		this.runs.acquire(9);
		assertThat(List.copyOf(order)).startsWith("a", "b", "c", "a", "b", "c", "a", "b", "c");
	}

	@Test
	void noThreadIsLeftWhenThePoolIsClosed() throws Exception {
		AtomicReference<Thread> thread = new AtomicReference<>();
		CountDownLatch go = new CountDownLatch(1);
		Task task = this.pool.task("test", () -> {
			thread.set(Thread.currentThread());
			this.runs.release();
			go.await();
			return Pause.of(0);
		});
		task.wake();
		this.runs.acquire();
		this.pool.close();
		go.countDown();
		thread.get().join();
		task.wake();
		assertThat(this.pool.timer().isTerminated()).isTrue();
	}

}
