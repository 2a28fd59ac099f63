package io.delayqueue.delivery;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/**
 * Handles deliveries, one at a call. The consumer may call a handler from several threads
 * at once.
 */
@FunctionalInterface
public interface MessageHandler {

	/**
	 * Handles a delivery.
	 * @param delivery the delivery
	 * @return {@code null} if the message is handled; otherwise a stage that completes
	 * when the message is handled, for which the consumer waits without a thread
	 * @throws UnreadableMessageException if the message can never be handled because its
	 * payload cannot be converted to the type that the handler takes
	 * @throws Throwable if the handler failed
	 */
	@Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable;

	/**
	 * Whether the consumer interrupts the handler when the message of the handler is
	 * cancelled.
	 * @return {@code false} if the handler of a cancelled message runs on
	 */
	default boolean isInterruptible() {
		return false;
	}

	/**
	 * Whether {@link #timedOut} decides on the messages whose handler has timed out.
	 * @return {@code false} if the attempts of such messages fail
	 */
	default boolean handlesTimeouts() {
		return false;
	}

	/**
	 * Decides on a message whose handler has timed out. The consumer calls this method on
	 * another thread than the handler, which may still run.
	 * @param delivery the delivery
	 * @param timeout the timeout
	 * @throws Throwable if the attempt fails; a normal return acknowledges the message
	 */
	default void timedOut(Delivery delivery, HandlerTimeoutException timeout) throws Throwable {
		throw timeout;
	}

	/**
	 * Unwraps the failure of a stage.
	 * @param failure the failure as the stage reports it, {@code null} if there is none
	 * @return the failure without {@link CompletionException}, {@code null} if there is
	 * none
	 */
	static @Nullable Throwable causeOf(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
