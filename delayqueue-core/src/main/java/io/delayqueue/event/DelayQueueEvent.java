package io.delayqueue.event;

/**
 * Root of the Spring application events that this library publishes. An application
 * receives the events with an {@code @EventListener}:
 *
 * <pre class="code">
 * &#64;EventListener
 * void onDeadLetter(MessageDeadLetteredEvent event) { ... }
 * </pre>
 *
 * <p>
 * The process that has made a change publishes the event for it after the change, at most
 * once. An event is lost if the process ends between the change and the event, or if the
 * reply of Redis is lost. Events are suitable for alarms and displays; the reliable
 * sources are Redis and the meters.
 *
 * <p>
 * A dedicated thread publishes all events of an application one after the other, so a
 * slow event listener delays later events, but no message. Up to 10,000 events wait for
 * that thread; the library drops further events, and logs the drop. The library logs an
 * exception of an event listener and continues. When the application stops, the thread
 * publishes waiting events for up to 2 seconds.
 */
public sealed interface DelayQueueEvent permits MessageDeadLetteredEvent, LeaseLostEvent, MessagesRepairedEvent,
		MessagesLostEvent, MessageExpiredEvent, MessageDroppedEvent, ListenerPausedEvent, ListenerResumedEvent,
		QueueHeldEvent, QueueReleasedEvent, DelayQueueOperatedEvent {

	/**
	 * Returns the name of the queue that the event is about.
	 * @return the queue's name
	 */
	String queue();

}
