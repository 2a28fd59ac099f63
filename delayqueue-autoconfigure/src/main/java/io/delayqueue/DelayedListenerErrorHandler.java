package io.delayqueue;

/**
 * Decides what a failure of a listener means. Named by
 * {@link DelayedListener#errorHandler()}, or set for all listeners by a
 * {@link DelayedListenerContainerCustomizer}.
 *
 * <p>
 * It is called when the listener has thrown, when its stage has failed, and when its
 * arguments could not be made ({@link UnreadableMessageException}); by the thread that
 * ran the listener or completed its stage. It is not called for a {@link DeferException},
 * which is no failure, for what interceptors throw, for a record in Redis that cannot be
 * read at all, and for a process that fell silent. Batch listeners have no error handler:
 * they throw {@link BatchFailedException}.
 *
 * <p>
 * A listener that was told that its lease is lost has not handled its message, whatever
 * the error handler does: see {@link DelayedMessage#isLeaseLost()}. Implementations must
 * be safe for use by several threads.
 */
@FunctionalInterface
public interface DelayedListenerErrorHandler {

	/**
	 * Handles a failure. A normal return means that the message is done: it is
	 * acknowledged. What is thrown takes the place of the listener's failure, so an
	 * implementation can throw that again, or say more by {@link RetryAfterException} or
	 * {@link DeferException}.
	 * @param message the message, with its payload as it stands in Redis; the bytes are
	 * not to be changed
	 * @param failure what the listener threw, or its stage failed of
	 * @throws Throwable if the message is not done
	 */
	void handle(DelayedMessage<byte[]> message, Throwable failure) throws Throwable;

}
