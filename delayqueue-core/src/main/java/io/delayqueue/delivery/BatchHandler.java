package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.delayqueue.BatchFailedException;
import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/**
 * Handles batches of deliveries. Several threads may call a handler at once.
 */
public interface BatchHandler {

	/**
	 * Reads one delivery. A delivery that cannot be read does not affect the batch.
	 * @param delivery the delivery
	 * @return the element of the batch that {@link #handle} gets
	 * @throws UnreadableMessageException if the payload cannot be converted to what the
	 * handler takes
	 */
	Object read(Delivery delivery);

	/**
	 * Handles a batch.
	 * @param batch the elements that were read, at least one, ordered by due time and id
	 * @return {@code null} if all messages are handled; otherwise a stage that completes
	 * when they are, for which the consumer waits without a thread
	 * @throws BatchFailedException if some of the messages failed
	 * @throws Throwable if all messages failed
	 */
	@Nullable CompletionStage<?> handle(List<Object> batch) throws Throwable;

}
