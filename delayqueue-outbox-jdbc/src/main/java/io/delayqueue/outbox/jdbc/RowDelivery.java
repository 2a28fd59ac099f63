package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Claims rows of the outbox, carries out their calls to Redis, and writes the outcomes to
 * the table.
 */
final class RowDelivery {

	private final OutboxTable table;

	private final RowCalls calls;

	private final Duration claimTimeout;

	RowDelivery(OutboxTable table, RowCalls calls, Duration claimTimeout) {
		this.table = table;
		this.calls = calls;
		this.claimTimeout = claimTimeout;
	}

	/**
	 * Claims and sends rows whose next attempt is due.
	 * @param limit the most due rows
	 * @return the numbers of claimed and of finished rows
	 */
	Delivered due(int limit) {
		return deliver(() -> this.table.claim(limit, this.claimTimeout));
	}

	/**
	 * Claims and sends the rows with the given numbers.
	 * @param numbers the numbers
	 * @return the numbers of claimed and of finished rows
	 */
	Delivered of(Collection<Long> numbers) {
		return deliver(() -> this.table.claim(numbers, this.claimTimeout));
	}

	/**
	 * The numbers of claimed and of finished rows.
	 *
	 * @param claimed the number of claimed rows
	 * @param finished the number of claimed rows that no longer block the next row with
	 * the same message id
	 */
	record Delivered(int claimed, int finished) {
	}

	private Delivered deliver(Supplier<List<ClaimedRow>> claim) {
		// Begin calls to Redis only in the first half of the claim's time; the second
		// half is left for the last call and for writing the outcomes
		long untilNanos = System.nanoTime() + this.claimTimeout.toNanos() / 2;
		List<ClaimedRow> rows = claim.get();
		if (rows.isEmpty()) {
			return new Delivered(0, 0);
		}
		List<RowOutcome> outcomes = this.calls.carryOut(rows, untilNanos);
		this.table.settle(outcomes);
		int finished = (int) outcomes.stream().filter((outcome) -> !(outcome instanceof RowOutcome.Retried)).count();
		return new Delivered(rows.size(), finished);
	}

}
