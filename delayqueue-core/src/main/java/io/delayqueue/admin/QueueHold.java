package io.delayqueue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A hold of a queue or of one of its groups: no message of the queue or group is
 * delivered until a time.
 *
 * @param queue the queue
 * @param group the group key, {@code null} if the whole queue is held
 * @param until when the hold ends, by the clock of the Redis master
 * @param by the origin of the hold; of several holds only the hold that ends last is kept
 * @param process the name of the process in which the handler threw the exception, or in
 * which the operator's call was made
 * @param why the reason that the handler or the operator gave, without control
 * characters; may be empty
 */
public record QueueHold(String queue, @Nullable String group, Instant until, By by, String process, String why) {

	/** The origin of a hold. */
	public enum By {

		/**
		 * A handler has set the hold by throwing a {@link io.delayqueue.HoldException}.
		 */
		HANDLER,

		/**
		 * An operator has set the hold by calling {@link DelayQueueAdmin#hold}, directly
		 * or through the actuator endpoint.
		 */
		OPERATOR

	}

}
