package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackgroundLoopTests {

	private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

	private static final long FOREVER = Long.MAX_VALUE / 2;

	private final Semaphore runs = new Semaphore(0);

	private final BackgroundLoop loop = new BackgroundLoop("test", this::run);

	private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	/** The number of times that a loop has given its thread back. */
	private final Semaphore givenBack = new Semaphore(0);

	@AfterEach
	void stop() {
		this.loop.stop(LONG_ENOUGH);
		this.timer.shutdownNow();
		this.threads.shutdownNow();
	}

	private long run() {
		this.runs.release();
		return FOREVER;
	}

	private BackgroundLoop sharing(Executor threads, long lingerNanos, BackgroundLoop.Body body) {
		return new BackgroundLoop("test", body, new BackgroundLoop.Shared(this.timer, threads, lingerNanos));
	}

	private void execute(Runnable command) {
		this.threads.execute(() -> {
			command.run();
			this.givenBack.release();
		});
	}

	@Test
	void loopIsAliveAfterStart() throws Exception {
		assertThat(this.loop.status().alive()).isFalse();
		this.loop.start();
		this.runs.acquire();

		assertThat(this.loop.status().alive()).isTrue();
	}

	@Test
	void stoppedLoopIsNotReportedAsDead() {
		this.loop.start();

		assertThat(this.loop.stop(LONG_ENOUGH)).isTrue();
		assertThat(this.loop.status().alive()).isTrue();
	}

	@Test
	void idleLoopHasNoThreadAndIsAlive() throws Exception {
		BackgroundLoop idle = sharing(this::execute, 0, this::run);
		idle.start();
		this.givenBack.acquire();

		assertThat(idle.status().alive()).isTrue();
		idle.wakeUp();
		this.runs.acquire(2);
		assertThat(idle.stop(LONG_ENOUGH)).isTrue();
	}

	@Test
	void stoppedIdleLoopRunsNoMoreUntilItIsStartedAgain() throws Exception {
		BackgroundLoop idle = sharing(this::execute, 0, this::run);
		idle.start();
		this.givenBack.acquire();
		assertThat(idle.stop(Duration.ZERO)).isTrue();
		idle.wakeUp();
		assertThat(this.runs.availablePermits()).isOne();

		idle.start();
		this.runs.acquire(2);
		idle.stop(LONG_ENOUGH);
	}

	@Test
	void idleLoopRunsAgainAfterItsWait() throws Exception {
		BackgroundLoop recurring = sharing(this::execute, 0, () -> {
			this.runs.release();
			return TimeUnit.MILLISECONDS.toNanos(10);
		});
		recurring.start();
		this.givenBack.acquire(3);
		assertThat(this.runs.availablePermits()).isGreaterThanOrEqualTo(3);
		recurring.stop(LONG_ENOUGH);
	}

	@Test
	void noWakeUpIsLostWhileThreadIsGivenBack() throws Exception {
		for (long linger : new long[] { 0, 1_000, 20_000, 100_000 }) {
			BackgroundLoop racing = sharing(this::execute, linger, this::run);
			racing.start();
			this.runs.acquire();
			for (int i = 0; i < 5_000; i++) {
				racing.wakeUp();
				assertThat(this.runs.tryAcquire(LONG_ENOUGH.toSeconds(), TimeUnit.SECONDS)).isTrue();
			}
			racing.stop(LONG_ENOUGH);
			this.runs.drainPermits();
		}
	}

	@Test
	void runsNeverOverlap() throws Exception {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		BackgroundLoop racing = sharing(this::execute, 1_000, () -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			running.decrementAndGet();
			this.runs.release();
			return FOREVER;
		});
		racing.start();
		CountDownLatch done = new CountDownLatch(4);
		for (int thread = 0; thread < 4; thread++) {
			this.threads.execute(() -> {
				for (int i = 0; i < 5_000; i++) {
					racing.wakeUp();
				}
				done.countDown();
			});
		}
		done.await();
		this.runs.acquire();
		assertThat(racing.stop(LONG_ENOUGH)).isTrue();
		assertThat(most).hasValue(1);
	}

	@Test
	void loopThatGetsNoThreadTriesAgain() throws Exception {
		AtomicInteger refusals = new AtomicInteger(3);
		BackgroundLoop refused = sharing((command) -> {
			if (refusals.getAndDecrement() > 0) {
				throw new RejectedExecutionException("busy");
			}
			execute(command);
		}, 0, this::run);
		refused.start();
		this.runs.acquire();
		refused.stop(LONG_ENOUGH);
	}

}
