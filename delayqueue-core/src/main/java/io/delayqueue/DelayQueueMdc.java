package io.delayqueue;

/**
 * Keys that this library sets in the mapped diagnostic context (MDC) of SLF4J while a
 * message is handled, for log patterns such as {@code %X{delayqueue.id}}. The library
 * sets the keys on the thread that calls the listener, its interceptors and its error
 * handler. The log lines of the library about the outcome have the keys, too. After the
 * message has been handled, the library restores the previous context of the thread.
 *
 * <p>
 * If a listener returns a {@code CompletionStage}, the MDC has the keys until the
 * listener returns. If callbacks of this {@code CompletionStage} run later on another
 * thread, they see the keys only if the application propagates the MDC, for example with
 * a {@code TaskDecorator}.
 */
public final class DelayQueueMdc {

	/** The MDC key for the name of the queue. */
	public static final String QUEUE = "delayqueue.queue";

	/** The MDC key for the id of the message; absent while a batch is handled. */
	public static final String ID = "delayqueue.id";

	/**
	 * The MDC key for the group of the message; absent if the message has none, and while
	 * a batch is handled.
	 */
	public static final String GROUP = "delayqueue.group";

	private DelayQueueMdc() {
	}

}
