package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.delayqueue.BatchFailedException;
import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/**
 * Handles batches of deliveries. The consumer may call a handler from several threads at
 * once.
 */
public interface BatchHandler {

	/**
	 * Converts one delivery to an element of a batch. If this method throws an exception,
	 * the consumer settles that message alone, and the batch goes on without it.
	 * @param delivery the delivery
	 * @return the element that {@link #handle} gets for this delivery
	 * @throws UnreadableMessageException if the payload cannot be converted to the type
	 * that the handler takes
	 */
	Object read(Delivery delivery);

	/**
	 * Handles a batch of messages.
	 * @param batch the elements that {@link #read} has returned, at least one, ordered by
	 * due time and id
	 * @return {@code null} if all messages of the batch are handled; otherwise a stage
	 * that completes when all of them are handled. The consumer occupies no thread while
	 * it waits for the stage
	 * @throws BatchFailedException if the handler failed for some messages of the batch
	 * @throws Throwable if the handler failed for all messages of the batch
	 */
	@Nullable CompletionStage<?> handle(List<Object> batch) throws Throwable;

}
