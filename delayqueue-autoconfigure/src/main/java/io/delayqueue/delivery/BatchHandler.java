package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CompletionStage;

import io.delayqueue.BatchFailedException;
import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer does with deliveries that it hands over together. Called by several
 * threads at once.
 */
public interface BatchHandler {

	/**
	 * Reads one delivery. What cannot be read takes no other delivery along.
	 * @param delivery the delivery
	 * @return what {@link #handle} is given for it
	 * @throws UnreadableMessageException if the payload cannot be converted to what the
	 * handler takes
	 */
	Object read(Delivery delivery);

	/**
	 * Handles a batch.
	 * @param batch what was read, at least one, in the order of the due times and then of
	 * the ids
	 * @return {@code null} if all messages are handled; else a stage that completes when
	 * they are, and that the consumer awaits without holding a thread
	 * @throws BatchFailedException if some of the messages failed
	 * @throws Throwable if all of them failed
	 */
	@Nullable CompletionStage<?> handle(List<Object> batch) throws Throwable;

}
