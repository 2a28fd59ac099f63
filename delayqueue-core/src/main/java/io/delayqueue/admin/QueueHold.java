package io.delayqueue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A hold: nothing of a queue, or of one of its groups, is delivered until a time.
 *
 * @param queue the queue
 * @param group the group key, {@code null} if the whole queue is held
 * @param until when the hold ends, by the clock of the Redis master
 * @param by the origin of the hold; of several holds the one that ends last is kept
 * @param process the name of the process in which the handler threw the exception, or in
 * which the operator's call was made
 * @param why the reason as it was given, without control characters; may be empty
 */
public record QueueHold(String queue, @Nullable String group, Instant until, By by, String process, String why) {

	/** The origin of a hold. */
	public enum By {

		/** A handler that threw a {@link io.delayqueue.HoldException}. */
		HANDLER,

		/** A call of {@link DelayQueueAdmin#hold}, also through the endpoint. */
		OPERATOR

	}

}
