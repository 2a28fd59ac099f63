package io.delayqueue.test;

import java.util.Set;
import java.util.stream.Collectors;

import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Removes the keys, the recorded deliveries and the time shift of the previous test, and
 * resumes the listeners that the test has paused. Listeners that were paused before the
 * first test are paused before each test.
 */
final class FreshStart implements AopInfrastructureBean {

	private final OwnKeys keys;

	private final DelayedListenerRegistry listeners;

	private final Deliveries deliveries;

	private final TimeShift shift;

	private final DueWork work;

	/** The listeners that were paused before the first test. */
	private @Nullable Set<DelayedListenerContainer> paused;

	FreshStart(OwnKeys keys, DelayedListenerRegistry listeners, Deliveries deliveries, TimeShift shift, DueWork work) {
		this.keys = keys;
		this.listeners = listeners;
		this.deliveries = deliveries;
		this.shift = shift;
		this.work = work;
	}

	/**
	 * Prepares the application context for a test. Before the first test of an
	 * application context nothing is removed.
	 */
	synchronized void begin() {
		Set<DelayedListenerContainer> paused = this.paused;
		if (paused == null) {
			this.paused = this.listeners.containers()
				.stream()
				.filter(DelayedListenerContainer::isPaused)
				.collect(Collectors.toUnmodifiableSet());
		}
		else {
			this.listeners.stop();
			this.keys.remove();
			this.deliveries.clear();
			this.shift.reset();
			this.work.reset();
			this.listeners.containers().forEach((container) -> {
				if (paused.contains(container)) {
					container.pause();
				}
				else {
					container.resume();
				}
			});
			this.listeners.start();
		}
	}

}
