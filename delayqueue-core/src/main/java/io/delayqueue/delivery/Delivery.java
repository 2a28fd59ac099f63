package io.delayqueue.delivery;

import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One delivery of a message, before its payload is converted.
 */
public interface Delivery {

	/**
	 * Returns the queue of the message.
	 * @return the name of the queue
	 */
	String queue();

	/**
	 * {@return the id of the message}
	 */
	String id();

	/**
	 * {@return the group key of the message, {@code null} if the message has none}
	 */
	@Nullable String group();

	/**
	 * Returns the headers of the message.
	 * @return an immutable map
	 */
	Map<String, String> headers();

	/**
	 * Returns the payload of the message as its producer wrote the payload.
	 * @return the bytes, which the caller must not change
	 */
	byte[] payload();

	/**
	 * Returns the time at which the message became due.
	 * @return the instant, in whole milliseconds
	 */
	Instant dueAt();

	/**
	 * Returns the number of this attempt to handle the message.
	 * @return 1 for the first attempt
	 */
	int attempt();

	/**
	 * Returns the number of failures after which the message is dead-lettered.
	 * @return the number that is set for the message, otherwise the number that is set
	 * for its queue
	 */
	int maxAttempts();

	/**
	 * Whether the result of the handler no longer counts, because the handler has timed
	 * out or its message was cancelled.
	 * @return {@code true} as soon as this process has noticed the timeout or the
	 * cancellation
	 */
	boolean isOverruled();

	/**
	 * Whether the message was cancelled or purged since its delivery.
	 * @return {@code true} as soon as this process has noticed the cancellation
	 */
	boolean isCancelled();

	/**
	 * Whether the lease of this delivery is lost, so that another consumer may get the
	 * message.
	 * @return {@code true} as soon as this process has noticed the loss
	 */
	boolean isLeaseLost();

}
