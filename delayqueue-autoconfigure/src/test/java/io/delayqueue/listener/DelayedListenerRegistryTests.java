package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.fixture.ListenerApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The life cycle of containers, with the application and on request.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
@ExtendWith(OutputCaptureExtension.class)
class DelayedListenerRegistryTests {

	private ListenerApplication application;

	private DelayedListenerRegistry registry;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.start(Listeners.class, Late.class);
		this.registry = this.application.registry();
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void containersAreFoundByIdAndListedInItsOrder() {
		assertThat(this.registry.containers()).extracting(DelayedListenerContainer::id)
			.containsExactly("by-hand", "first", "second-id");
		DelayedListenerContainer second = this.registry.container("second-id").orElseThrow();
		assertThat(second.queue()).isEqualTo("second");
		assertThat(second).hasToString("DelayedListenerContainer[id=second-id, queue=second, method="
				+ Listeners.class.getName() + ".second(String)]");
		assertThat(this.registry.container("second")).isEmpty();
	}

	@Test
	void applicationStartsTheContainersWithAutoStartup() {
		assertThat(this.registry.isRunning()).isTrue();
		assertRunning(true, true, false);
		assertThat(this.registry.container("first").orElseThrow().inFlight()).isEqualTo(7);
		assertThat(this.registry.container("by-hand").orElseThrow().isAutoStartup()).isFalse();
	}

	@Test
	void registryStartsLastAndStopsFirst() {
		assertThat(this.registry.getPhase()).isEqualTo(Integer.MAX_VALUE - 100);
		assertThat(this.registry.isAutoStartup()).isTrue();
		assertThat(this.registry.isPauseable()).isTrue();
	}

	@Test
	void eachContainerCanBeStartedAndStopped() {
		this.registry.start("by-hand");
		this.registry.stop("first");
		assertRunning(false, true, true);
		assertThat(this.registry.isRunning()).isTrue();
	}

	@Test
	void containerWaitsForItsHandlersForNineTenthsOfThePhase() {
		this.registry.stop("first");
		assertThat(ListenerApplication.PHASE_TIMEOUT).isEqualTo(Duration.ofSeconds(20));
		assertThat(this.application.consumers().of("first").stopTimeout).isEqualTo(Duration.ofSeconds(18));
	}

	@Test
	void startWhileRunningAndStopWhileStoppedDoNothing() {
		this.registry.start("first");
		this.registry.stop("by-hand");
		assertThat(this.application.consumers().of("first").starts).isEqualTo(1);
		assertThat(this.application.consumers().of("by-hand").stopTimeout).isNull();
	}

	@Test
	void eachContainerCanBePausedAndResumed() {
		DelayedListenerContainer first = this.registry.container("first").orElseThrow();
		this.registry.pause("first");
		assertThat(first.isPaused()).isTrue();
		assertThat(first.isRunning()).isTrue();
		assertThat(this.registry.container("second-id").orElseThrow().isPaused()).isFalse();
		this.registry.resume("first");
		assertThat(first.isPaused()).isFalse();
	}

	@Test
	void unknownIdIsRejectedWithTheExistingIds() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.start("second"))
			.withMessage("No listener has the id 'second'; the ids are [by-hand, first, second-id]");
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.stop("x"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.pause("x"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.resume("x"));
	}

	@Test
	void stoppedContextCanBeStartedAgain() {
		this.application.context.stop();
		assertThat(this.registry.isRunning()).isFalse();
		assertRunning(false, false, false);
		this.application.context.start();
		assertThat(this.registry.isRunning()).isTrue();
		assertRunning(true, true, false);
	}

	@Test
	void restartedContextAlsoStartsContainersThatWereStartedExplicitly() {
		this.registry.start("by-hand");
		for (int i = 0; i < 2; i++) {
			this.application.context.pause();
			assertThat(this.registry.isRunning()).isFalse();
			assertRunning(false, false, false);
			this.application.context.restart();
			assertRunning(true, true, true);
		}
		this.registry.stop("by-hand");
		this.application.context.pause();
		this.application.context.restart();
		assertRunning(true, true, false);
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
		DelayedListenerRegistry brief = new DelayedListenerRegistry(Duration.ofMillis(100));
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
	void listenerOfALazyBeanStartsAtItsCreation() {
		assertThat(this.registry.container("late")).isEmpty();
		this.application.bean(Late.class);
		assertThat(this.registry.container("late").orElseThrow().isRunning()).isTrue();
		assertThat(this.registry.container("late-by-hand").orElseThrow().isRunning()).isFalse();
	}

	@Test
	void listenerOfALazyBeanStartsWithAStoppedRegistry() {
		this.application.context.stop();
		this.application.bean(Late.class);
		assertThat(this.registry.container("late").orElseThrow().isRunning()).isFalse();
		this.application.context.start();
		assertThat(this.registry.container("late").orElseThrow().isRunning()).isTrue();
	}

	@Test
	void phaseTimeoutMustBePositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> new DelayedListenerRegistry(Duration.ZERO))
			.withMessage("phaseTimeout is PT0S but must be more than 0");
	}

	private void assertRunning(boolean first, boolean second, boolean byHand) {
		assertThat(this.registry.container("first").orElseThrow().isRunning()).isEqualTo(first);
		assertThat(this.registry.container("second-id").orElseThrow().isRunning()).isEqualTo(second);
		assertThat(this.registry.container("by-hand").orElseThrow().isRunning()).isEqualTo(byHand);
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

	static class Listeners {

		@DelayedListener(queue = "first")
		void first(String payload) {
		}

		@DelayedListener(queue = "second", id = "second-id")
		void second(String payload) {
		}

		@DelayedListener(queue = "by-hand", autoStartup = "false")
		void byHand(String payload) {
		}

	}

	@Lazy
	static class Late {

		@DelayedListener(queue = "late")
		void late(String payload) {
		}

		@DelayedListener(queue = "late-by-hand", autoStartup = "false")
		void lateByHand(String payload) {
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
