package io.delayqueue.delivery;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One delivery of a message, before its payload is converted.
 */
public interface Delivery {

	/**
	 * The queue.
	 * @return the queue's name
	 */
	String queue();

	/**
	 * The message's id.
	 * @return the id
	 */
	String id();

	/**
	 * The group key.
	 * @return the group key, {@code null} if the message has none
	 */
	@Nullable String group();

	/**
	 * The headers.
	 * @return an immutable map
	 */
	Map<String, String> headers();

	/**
	 * The payload as it was written.
	 * @return the bytes; not to be changed
	 */
	byte[] payload();

	/**
	 * The due time.
	 * @return the instant, in whole milliseconds
	 */
	Instant dueAt();

	/**
	 * The number of this attempt.
	 * @return 1 for the first attempt
	 */
	int attempt();

	/**
	 * The number of failures after which the message is dead-lettered.
	 * @return the number set for the message, else the number set for the queue
	 */
	int maxAttempts();

	/**
	 * Whether the result of the handler no longer counts, because the handler has timed
	 * out or its message was cancelled.
	 * @return {@code true} as soon as this process has noticed that
	 */
	boolean isOverruled();

	/**
	 * Whether the message was cancelled, replaced or purged since its delivery.
	 * @return {@code true} as soon as this process has noticed that
	 */
	boolean isCancelled();

	/**
	 * Whether the lease is lost.
	 * @return {@code true} as soon as this process has noticed the loss
	 */
	boolean isLeaseLost();

}
