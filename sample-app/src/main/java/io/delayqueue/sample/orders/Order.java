package io.delayqueue.sample.orders;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * An order at one moment, as callers see it.
 *
 * @param id the id that the caller chose
 * @param userId whose order it is
 * @param status where it stands
 * @param dueAt until when it should be paid, by the clock of Redis
 * @param closedAt when it left UNPAID, by the clock of Redis; {@code null} while open
 * @param closedBy what closed it; {@code null} while open
 * @param flagged whether it is open although its timeout came: that was set aside among
 * the dead letters, and somebody has to look; left out if not
 */
record Order(String id, String userId, Status status, Instant dueAt, @Nullable Instant closedAt,
		@Nullable ClosedBy closedBy, @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean flagged) {

	/** Where an order stands. UNPAID is left once, and for good. */
	enum Status {

		UNPAID, PAID, CANCELLED

	}

	/** What closed an order. */
	enum ClosedBy {

		PAYMENT, USER, TIMEOUT

	}

}
