package io.delayqueue.event;

import io.delayqueue.HoldException;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueHold;

/**
 * A queue, or one of its groups, was held: no message of the queue or group is delivered
 * until the end of the hold. The process whose handler threw a {@link HoldException}, or
 * that called {@link DelayQueueAdmin#hold}, publishes this event. No event is published
 * when a hold is made longer by less than a second, or when a hold ends by itself.
 *
 * @param hold the hold
 */
public record QueueHeldEvent(QueueHold hold) implements DelayQueueEvent {

	@Override
	public String queue() {
		return this.hold.queue();
	}

}
