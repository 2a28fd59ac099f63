package io.delayqueue.test;

import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;

/**
 * Removes the keys, the recorded deliveries and the time shift of the previous test, and
 * resumes the listeners that the test has paused.
 */
final class FreshStart {

	private final OwnKeys keys;

	private final DelayedListenerRegistry listeners;

	private final Deliveries deliveries;

	private final TimeShift shift;

	private final DueWork work;

	private boolean used;

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
		if (this.used) {
			this.listeners.stop();
			this.keys.remove();
			this.deliveries.clear();
			this.shift.reset();
			this.work.reset();
			this.listeners.containers().forEach(DelayedListenerContainer::resume);
			this.listeners.start();
		}
		this.used = true;
	}

}
