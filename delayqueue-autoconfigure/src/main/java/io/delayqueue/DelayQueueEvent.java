package io.delayqueue;

/**
 * Something that an operator or the application may want to know. Published as an
 * application event, so an {@code @EventListener} gets it:
 *
 * <pre class="code">
 * &#64;EventListener
 * void tell(MessageDeadLetteredEvent event) { ... }
 * </pre>
 *
 * <p>
 * Events come after the fact, at most once, and in the process in which it happened: one
 * whose process ends at that moment, or whose reply of Redis was lost, is never told.
 * They are for alarms and for displays; what counts stands in Redis, and in the meters.
 *
 * <p>
 * All events of an application are published one after the other by a thread of their
 * own, so a slow listener delays no message, only further events. Up to 10,000 events
 * wait for it; what comes on top is dropped, which the log says. What a listener throws
 * is logged. When the application stops, what waits is published for up to 2 seconds.
 */
public sealed interface DelayQueueEvent
		permits MessageDeadLetteredEvent, LeaseLostEvent, MessagesRepairedEvent, MessagesLostEvent, MessageExpiredEvent,
		MessageDroppedEvent, ListenerPausedEvent, ListenerResumedEvent, DelayQueueOperatedEvent {

	/**
	 * The queue in which it happened.
	 * @return the queue's name
	 */
	String queue();

}
