package io.delayqueue.sample.orders;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The state of an order at one moment, as returned to callers.
 *
 * @param id the id that the caller chose
 * @param userId the user
 * @param status its status
 * @param dueAt the end of the time to pay, by the clock of Redis
 * @param closedAt when it left UNPAID, by the clock of Redis; {@code null} while open
 * @param closedBy what closed it; {@code null} while open
 * @param flagged whether it is open although its timeout was due: the timeout is a dead
 * letter, which an operator must check; omitted if false
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
