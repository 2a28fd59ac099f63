package io.delayqueue.sample.orders;

import org.jspecify.annotations.Nullable;

/**
 * The result of closing an order.
 *
 * @param outcome the outcome
 * @param order the stored order; {@code null} if it is unknown
 */
record Closing(Outcome outcome, @Nullable Order order) {

	/** The state of the order that the call found; only CLOSED has changed the order. */
	enum Outcome {

		/** By this call. */
		CLOSED,

		/** By an earlier call. */
		CLOSED_BEFORE,

		/** TIMEOUT closes an order only when it is due. */
		NOT_DUE,

		/** There is no such order. */
		UNKNOWN

	}

}
