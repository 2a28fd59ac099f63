package io.delayqueue;

/**
 * Handles the failures of a listener. A listener names its error handler with
 * {@link DelayedListener#errorHandler()}; a {@link DelayedListenerContainerCustomizer}
 * sets an error handler for all listeners. Implementations must be thread-safe.
 *
 * <p>
 * The library calls the error handler when the listener throws an exception, when the
 * {@code CompletionStage} that the listener returned fails, when the arguments of the
 * listener cannot be resolved ({@link UnreadableMessageException}), and when the listener
 * has timed out ({@link HandlerTimeoutException}). The error handler runs on the thread
 * that ran the listener or completed its {@code CompletionStage}. After a timeout the
 * error handler runs on another thread, because the listener may still run; exceptions
 * that the listener throws after its timeout are ignored. The library does not call the
 * error handler for a {@link DeferException} or a {@link HoldException}, because these
 * are not failures. Nor does it call the error handler for a message that was cancelled
 * while the listener handled it ({@link DelayedMessage#isCancelled()}), for an exception
 * of an interceptor, for an unreadable record in Redis, or after a crash of the process.
 * Batch listeners have no error handler: a batch listener reports failed messages with a
 * {@link BatchFailedException}.
 *
 * <p>
 * If {@link DelayedMessage#isLeaseLost()} has returned {@code true} to the listener, the
 * message does not count as handled, regardless of the error handler.
 */
@FunctionalInterface
public interface DelayedListenerErrorHandler {

	/**
	 * Handles a failure of a listener. A normal return of the error handler acknowledges
	 * the message. An exception of the error handler replaces the failure of the
	 * listener: an implementation can rethrow that failure, or throw
	 * {@link RetryAfterException}, {@link DeferException} or {@link HoldException}.
	 * @param message the message, with its payload as stored in Redis; implementations
	 * must not modify the bytes
	 * @param failure the exception of the listener or of its stage
	 * @throws Throwable if the message does not count as handled
	 */
	void handle(DelayedMessage<byte[]> message, Throwable failure) throws Throwable;

}
