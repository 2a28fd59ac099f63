package io.delayqueue.sample.timeline;

import io.delayqueue.DelayedListener;

import org.springframework.stereotype.Component;

/**
 * Adds a delivered entry to the timeline of its user. A redelivery of the message changes
 * nothing.
 */
@Component
final class TimelineListener {

	private final TimelineStore store;

	TimelineListener(TimelineStore store) {
		this.store = store;
	}

	@DelayedListener(queue = Timeline.QUEUE)
	void deliver(Arrival arrival) {
		this.store.add(arrival.user(), arrival.msgId());
	}

}
