package io.delayqueue;

/**
 * Keys of the mapped diagnostic context (MDC) of SLF4J that are set while a message is
 * handled, for patterns such as {@code %X{delayqueue.id}}. The keys are set on the thread
 * that calls the listener, its interceptors and its error handler, and for this library's
 * log lines about the outcome. Afterwards the library restores the previous context.
 *
 * <p>
 * If a listener returns a {@code CompletionStage}, the keys are set until the listener
 * returns. Code that runs later on another thread has the keys only if the application
 * propagates the context, for example with a {@code TaskDecorator}.
 */
public final class DelayQueueMdc {

	/** The queue's name. */
	public static final String QUEUE = "delayqueue.queue";

	/** The message's id; absent while a batch is handled. */
	public static final String ID = "delayqueue.id";

	private DelayQueueMdc() {
	}

}
