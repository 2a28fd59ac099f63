package io.delayqueue.delivery;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer does with each delivery. Called by several threads at once.
 */
@FunctionalInterface
public interface MessageHandler {

	/**
	 * Handles a delivery.
	 * @param delivery the delivery
	 * @return {@code null} if the message is handled; else a stage that completes when it
	 * is, and that the consumer awaits without holding a thread
	 * @throws UnreadableMessageException if the message can never be handled because its
	 * payload cannot be converted to what the handler takes
	 * @throws Throwable if the handler failed
	 */
	@Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable;

	/**
	 * What a stage has failed of: it may tell it wrapped.
	 * @param failure what the stage tells, {@code null} if it has not failed
	 * @return the failure without its wrap, {@code null} if there is none
	 */
	static @Nullable Throwable causeOf(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
