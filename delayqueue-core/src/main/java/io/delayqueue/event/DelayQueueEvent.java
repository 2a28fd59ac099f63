package io.delayqueue.event;

/**
 * Root of the application events that this library publishes, for an
 * {@code @EventListener}:
 *
 * <pre class="code">
 * &#64;EventListener
 * void onDeadLetter(MessageDeadLetteredEvent event) { ... }
 * </pre>
 *
 * <p>
 * An event is published after the change, at most once, and in the process that made the
 * change. An event is lost if the process ends between the change and the event, or if
 * the reply of Redis is lost. Use events for alarms and displays; the reliable sources
 * are Redis and the meters.
 *
 * <p>
 * A dedicated thread publishes all events of an application one after the other, so a
 * slow event listener delays later events, but no message. Up to 10,000 events wait for
 * that thread; further ones are dropped, and the drop is logged. An exception of an event
 * listener is logged. When the application stops, waiting events are published for up to
 * 2 seconds.
 */
public sealed interface DelayQueueEvent permits MessageDeadLetteredEvent, LeaseLostEvent, MessagesRepairedEvent,
		MessagesLostEvent, MessageExpiredEvent, MessageDroppedEvent, ListenerPausedEvent, ListenerResumedEvent,
		QueueHeldEvent, QueueReleasedEvent, DelayQueueOperatedEvent {

	/**
	 * Returns the queue that the event is about.
	 * @return the queue's name
	 */
	String queue();

}
