package io.delayqueue.sample.orders;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The state of an order at one moment, as returned to callers.
 *
 * @param id the id that the caller chose
 * @param userId the user
 * @param status the status of the order
 * @param dueAt the end of the time to pay, by the clock of Redis
 * @param closedAt when the order was paid or cancelled, by the clock of Redis; {@code
 * null} while the order is open
 * @param closedBy what closed the order; {@code null} while the order is open
 * @param flagged whether the order is open although its timeout was due, because the
 * message of the timeout is a dead letter, which an operator must check; omitted if false
 */
record Order(String id, String userId, Status status, Instant dueAt, @Nullable Instant closedAt,
		@Nullable ClosedBy closedBy, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean flagged) {

	/** The status of an order. PAID and CANCELLED are final. */
	enum Status {

		UNPAID, PAID, CANCELLED

	}

	/** The cause of the closing of an order. */
	enum ClosedBy {

		PAYMENT, USER, TIMEOUT

	}

}
