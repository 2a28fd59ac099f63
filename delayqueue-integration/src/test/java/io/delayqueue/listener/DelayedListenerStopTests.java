package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.RegisteredListeners;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * How the registry stops its containers: all at once, within the time of the phase, and
 * before beans of lower phases.
 */
@ExtendWith(OutputCaptureExtension.class)
class DelayedListenerStopTests extends RegisteredListeners {

	@Test
	void containerWaitsForItsHandlersForNineTenthsOfThePhase() {
		this.registry.stop("first");
		assertThat(ListenerApplication.PHASE_TIMEOUT).isEqualTo(Duration.ofSeconds(20));
		assertThat(this.application.consumers().of("first").stopTimeout).isEqualTo(Duration.ofSeconds(18));
	}

	@Test
	void containerStartedAfterTheStopIsStoppedWithTheContext() {
		this.application.context.stop();
		this.registry.start("by-hand");
		assertThat(this.registry.isRunning()).isTrue();
		DelayedListenerContainer byHand = this.registry.container("by-hand").orElseThrow();
		this.application.close();
		assertThat(byHand.isRunning()).isFalse();
	}

	@Test
	void containersStopConcurrently() throws Exception {
		CyclicBarrier allStopping = new CyclicBarrier(2);
		this.application.consumers().onStop = () -> await(allStopping);
		CountDownLatch stopped = new CountDownLatch(1);
		this.registry.stop(stopped::countDown);
		assertThat(stopped.await(2, TimeUnit.MINUTES)).isTrue();
		assertRunning(false, false, false);
	}

	/** Spring continues once the dependent bean has stopped, regardless of callbacks. */
	@Test
	void beansOfLowerPhasesStopAfterTheContainersEvenIfABeanDependsOnTheRegistry() {
		try (ListenerApplication dependent = ListenerApplication.start(Listeners.class, Dependent.class,
				Connections.class)) {
			Connections connections = dependent.bean(Connections.class);
			AtomicBoolean early = new AtomicBoolean();
			dependent.consumers().onStop = () -> early.compareAndSet(false, connections.stopsWithin(100));
			dependent.context.stop();
			assertThat(connections.stopsWithin(0)).isTrue();
			assertThat(early).isFalse();
		}
	}

	@Test
	void stopWithoutACallbackWaits() {
		this.registry.stop();
		assertRunning(false, false, false);
	}

	@Test
	void stopWithACallbackWaitsAtMostForThePhaseTimeout() {
		DelayedListenerContainer first = this.registry.container("first").orElseThrow();
		DelayedListenerRegistry brief = new DelayedListenerRegistry(Duration.ofMillis(100), true);
		brief.add(first);
		CountDownLatch end = new CountDownLatch(1);
		this.application.consumers().onStop = () -> await(end);
		CountDownLatch called = new CountDownLatch(1);
		brief.stop(called::countDown);
		assertThat(called.getCount()).isZero();
		assertThat(first.isRunning()).isTrue();
		end.countDown();
	}

	@Test
	void stopWithoutRunningContainersReturnsAtOnce() {
		this.registry.stop();
		CountDownLatch stopped = new CountDownLatch(1);
		this.registry.stop(stopped::countDown);
		assertThat(stopped.getCount()).isZero();
	}

	@Test
	void containersStopEvenIfOneFailsToStop(CapturedOutput output) throws Exception {
		this.application.consumers().onStop = () -> {
			throw new IllegalStateException("no");
		};
		CountDownLatch stopped = new CountDownLatch(1);
		this.registry.stop(stopped::countDown);
		assertThat(stopped.await(2, TimeUnit.MINUTES)).isTrue();
		assertThat(output).contains("Listener 'first' of queue 'first' failed to stop")
			.contains("Listener 'second-id' of queue 'second' failed to stop");
		this.application.consumers().onStop = () -> {
		};
	}

	@Test
	void phaseTimeoutMustBePositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> new DelayedListenerRegistry(Duration.ZERO, true))
			.withMessage("phaseTimeout is 0s but must be more than 0");
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(2, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	abstract static class Stopping implements SmartLifecycle {

		private volatile boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

		@Override
		public int getPhase() {
			return 0;
		}

	}

	static class Dependent extends Stopping {

		Dependent(DelayedListenerRegistry registry) {
			assertThat(registry).isNotNull();
		}

	}

	static class Connections extends Stopping {

		private final CountDownLatch stopped = new CountDownLatch(1);

		@Override
		public void stop() {
			super.stop();
			this.stopped.countDown();
		}

		boolean stopsWithin(long millis) {
			try {
				return this.stopped.await(millis, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
