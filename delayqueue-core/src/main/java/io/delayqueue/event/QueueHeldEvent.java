package io.delayqueue.event;

import io.delayqueue.HoldException;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueHold;

/**
 * A queue, or one of its groups, is held: nothing of it is delivered until the end of the
 * hold. Published by the process whose handler threw a {@link HoldException} or that made
 * the call of {@link DelayQueueAdmin#hold}. A hold that is made longer by less than a
 * second publishes no event, and neither does the end of a hold that no operator has
 * ended.
 *
 * @param hold the hold
 */
public record QueueHeldEvent(QueueHold hold) implements DelayQueueEvent {

	@Override
	public String queue() {
		return this.hold.queue();
	}

}
