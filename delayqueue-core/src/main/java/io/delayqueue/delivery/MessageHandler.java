package io.delayqueue.delivery;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/**
 * Handles one delivery per call. The consumer may call a handler from several threads at
 * once.
 */
@FunctionalInterface
public interface MessageHandler {

	/**
	 * Handles a delivery.
	 * @param delivery the delivery
	 * @return {@code null} if the message is handled; otherwise a stage that completes
	 * when the message is handled. The consumer occupies no thread while it waits for the
	 * stage
	 * @throws UnreadableMessageException if the payload cannot be converted to the type
	 * that the handler takes
	 * @throws Throwable if the handler failed
	 */
	@Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable;

	/**
	 * Whether the consumer interrupts the handler when the message of the handler is
	 * cancelled.
	 * @return {@code false} if the handler continues when its message is cancelled
	 */
	default boolean isInterruptible() {
		return false;
	}

	/**
	 * Whether {@link #timedOut} decides about an attempt whose handler has timed out.
	 * @return {@code false} if every attempt fails when its handler times out
	 */
	default boolean handlesTimeouts() {
		return false;
	}

	/**
	 * Decides whether a message whose handler has timed out is acknowledged. The consumer
	 * calls this method on another thread, because the handler may still run.
	 * @param delivery the delivery
	 * @param timeout the exception that reports the timeout
	 * @throws Throwable if the attempt fails; a normal return acknowledges the message
	 */
	default void timedOut(Delivery delivery, HandlerTimeoutException timeout) throws Throwable {
		throw timeout;
	}

	/**
	 * Returns the exception with which a stage has failed, without the
	 * {@link CompletionException} around it.
	 * @param failure the failure as the stage reports it, {@code null} if the stage has
	 * succeeded
	 * @return the cause of a {@link CompletionException}, any other failure unchanged;
	 * {@code null} if the stage has succeeded
	 */
	static @Nullable Throwable causeOf(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
