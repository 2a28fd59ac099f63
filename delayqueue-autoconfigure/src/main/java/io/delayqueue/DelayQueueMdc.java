package io.delayqueue;

/**
 * What stands in the mapped diagnostic context (MDC) of SLF4J while a message is handled,
 * for patterns such as {@code %X{delayqueue.id}}: on the thread that calls the listener,
 * its interceptors and its error handler, and around this library's own log lines about
 * the outcome. Afterwards the whole context is again what it was before.
 *
 * <p>
 * A listener that returns a stage has it until it returns. What runs later on other
 * threads has it only if somebody carries the context over, for example a
 * {@code TaskDecorator}.
 */
public final class DelayQueueMdc {

	/** The queue's name. */
	public static final String QUEUE = "delayqueue.queue";

	/** The message's id; absent while a batch is handled. */
	public static final String ID = "delayqueue.id";

	private DelayQueueMdc() {
	}

}
