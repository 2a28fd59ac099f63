package io.delayqueue;

/**
 * Handles the failures of a listener. Declared with
 * {@link DelayedListener#errorHandler()}, or set for all listeners by a
 * {@link DelayedListenerContainerCustomizer}. Implementations must be thread-safe.
 *
 * <p>
 * The error handler is called when the listener throws, when its stage fails, when its
 * arguments cannot be resolved ({@link UnreadableMessageException}), and when it has
 * timed out ({@link HandlerTimeoutException}). The calling thread is the one that ran the
 * listener or completed its stage; for a timeout it is another one, because the listener
 * may still run, and what the listener throws after that is ignored. The error handler is
 * not called for a {@link DeferException} or a {@link HoldException}, which are not
 * failures, for a message that was cancelled meanwhile
 * ({@link DelayedMessage#isCancelled()}), for an exception of an interceptor, for an
 * unreadable record in Redis, and after a crash of the process. Batch listeners have no
 * error handler: they throw {@link BatchFailedException}.
 *
 * <p>
 * If {@link DelayedMessage#isLeaseLost()} has returned {@code true} to the listener, the
 * message does not count as handled, regardless of the error handler.
 */
@FunctionalInterface
public interface DelayedListenerErrorHandler {

	/**
	 * Handles a failure. A normal return acknowledges the message. An exception replaces
	 * the failure of the listener: an implementation can rethrow that failure, or throw
	 * {@link RetryAfterException}, {@link DeferException} or {@link HoldException}.
	 * @param message the message, with its payload as stored in Redis; implementations
	 * must not modify the bytes
	 * @param failure the exception of the listener or of its stage
	 * @throws Throwable if the message is not handled
	 */
	void handle(DelayedMessage<byte[]> message, Throwable failure) throws Throwable;

}
