package io.delayqueue;

/**
 * Handles the failures of a listener. A listener names its error handler with
 * {@link DelayedListener#errorHandler()}; a {@link DelayedListenerContainerCustomizer}
 * sets one for all listeners. Implementations must be thread-safe.
 *
 * <p>
 * The error handler is called when the listener throws, when its stage fails, when its
 * arguments cannot be resolved ({@link UnreadableMessageException}), and when it has
 * timed out ({@link HandlerTimeoutException}). It is called by the thread that ran the
 * listener or completed its stage. After a timeout another thread calls it, because the
 * listener may still run; exceptions that the listener throws later are ignored. The
 * error handler is not called for a {@link DeferException} or a {@link HoldException},
 * which are not failures, for a message that was cancelled meanwhile
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
