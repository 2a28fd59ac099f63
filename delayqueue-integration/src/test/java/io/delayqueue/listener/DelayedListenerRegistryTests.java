package io.delayqueue.listener;

import io.delayqueue.listener.fixture.RegisteredListeners;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The life cycle of containers, with the application and on request.
 */
class DelayedListenerRegistryTests extends RegisteredListeners {

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
	void listenerOfALaterBeanStartsAtItsCreation() {
		assertThat(this.registry.container("late")).isEmpty();
		this.application.later(Late.class);
		assertThat(this.registry.container("late").orElseThrow().isRunning()).isTrue();
		assertThat(this.registry.container("late-by-hand").orElseThrow().isRunning()).isFalse();
	}

	@Test
	void listenerOfALaterBeanStartsWithAStoppedRegistry() {
		this.application.context.stop();
		this.application.later(Late.class);
		assertThat(this.registry.container("late").orElseThrow().isRunning()).isFalse();
		this.application.context.start();
		assertThat(this.registry.container("late").orElseThrow().isRunning()).isTrue();
	}

}
