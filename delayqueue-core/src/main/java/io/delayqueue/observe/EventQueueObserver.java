package io.delayqueue.observe;

import java.util.List;

import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.LeaseLostEvent;
import io.delayqueue.event.ListenerPausedEvent;
import io.delayqueue.event.ListenerResumedEvent;
import io.delayqueue.event.MessageDeadLetteredEvent;
import io.delayqueue.event.MessageDroppedEvent;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.event.MessagesLostEvent;
import io.delayqueue.event.MessagesRepairedEvent;
import io.delayqueue.store.Repairs.Damage;
import org.jspecify.annotations.Nullable;

/**
 * Publishes application events. Safe for use by several threads.
 */
public final class EventQueueObserver implements QueueObserver {

	private final EventPublisher events;

	/**
	 * Creates an observer.
	 * @param events publishes the events
	 */
	public EventQueueObserver(EventPublisher events) {
		this.events = events;
	}

	@Override
	public void deadLettered(String queue, String id, String reason, @Nullable String exception, String message) {
		this.events.publish(new MessageDeadLetteredEvent(queue, id, reason, exception, message));
	}

	@Override
	public void expired(String queue, String id, MessageExpiredEvent.Outcome outcome) {
		this.events.publish(new MessageExpiredEvent(queue, id, outcome));
	}

	@Override
	public void dropped(String queue, String group, String id) {
		this.events.publish(new MessageDroppedEvent(queue, group, id));
	}

	@Override
	public void leaseLost(String queue, String id) {
		this.events.publish(new LeaseLostEvent(queue, id));
	}

	@Override
	public void repaired(String queue, Damage damage, List<String> ids) {
		this.events.publish(switch (damage) {
			case NO_PLACE -> repaired(queue, MessagesRepairedEvent.Damage.NO_PLACE, ids);
			case TWO_PLACES -> repaired(queue, MessagesRepairedEvent.Damage.TWO_PLACES, ids);
			case EARLY -> repaired(queue, MessagesRepairedEvent.Damage.EARLY, ids);
			case LEFT_OVER -> repaired(queue, MessagesRepairedEvent.Damage.LEFT_OVER, ids);
			case LOST -> new MessagesLostEvent(queue, ids);
		});
	}

	@Override
	public void paused(String queue) {
		this.events.publish(new ListenerPausedEvent(queue));
	}

	@Override
	public void resumed(String queue) {
		this.events.publish(new ListenerResumedEvent(queue));
	}

	@Override
	public void operated(DelayQueueOperatedEvent operated) {
		this.events.publish(operated);
	}

	private static MessagesRepairedEvent repaired(String queue, MessagesRepairedEvent.Damage damage, List<String> ids) {
		return new MessagesRepairedEvent(queue, damage, ids.size());
	}

}
