package io.delayqueue.sample.orders;

import org.jspecify.annotations.Nullable;

/**
 * The result of closing an order.
 *
 * @param outcome whether this call has closed the order, or why not
 * @param order the stored order; {@code null} if no such order exists
 */
record Closing(Outcome outcome, @Nullable Order order) {

	/**
	 * The outcome of a request to close an order. Only a request with the outcome CLOSED
	 * has changed the order.
	 */
	enum Outcome {

		/** This call has closed the order. */
		CLOSED,

		/** An earlier call has closed the order. */
		CLOSED_BEFORE,

		/** The time to pay has not passed, so the timeout does not close the order. */
		NOT_DUE,

		/** No order with this id exists. */
		UNKNOWN

	}

}
