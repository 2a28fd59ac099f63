package io.delayqueue.outbox.jdbc;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the outcomes of the outbox rows that this process has sent since its start. This
 * class is thread-safe.
 */
public final class OutboxCounts {

	private final LongAdder relayed = new LongAdder();

	private final LongAdder unchanged = new LongAdder();

	private final LongAdder retried = new LongAdder();

	private final LongAdder failed = new LongAdder();

	private final LongAdder late = new LongAdder();

	void add(RowOutcome outcome) {
		if (outcome instanceof RowOutcome.Finished) {
			this.relayed.increment();
		}
		else if (outcome instanceof RowOutcome.Retried) {
			this.retried.increment();
		}
		else {
			this.failed.increment();
		}
	}

	void addUnchanged() {
		this.unchanged.increment();
	}

	void addMalformed() {
		this.failed.increment();
	}

	void addLate() {
		this.late.increment();
	}

	/**
	 * Returns the number of rows whose calls Redis has carried out.
	 * @return the number since the start of this process
	 */
	public long relayed() {
		return this.relayed.sum();
	}

	/**
	 * Returns how many of the {@link #relayed()} rows have changed nothing in Redis: the
	 * queue already had a message with the id of a row that schedules, or did not have
	 * the message to cancel or to reschedule, or a listener was handling the message to
	 * reschedule.
	 * @return the number since the start of this process
	 */
	public long unchanged() {
		return this.unchanged.sum();
	}

	/**
	 * Returns the number of attempts that did not finish a row, so that the row is sent
	 * again.
	 * @return the number since the start of this process
	 */
	public long retried() {
		return this.retried.sum();
	}

	/**
	 * Returns the number of rows that Redis has refused or that are malformed.
	 * @return the number since the start of this process
	 */
	public long failed() {
		return this.failed.sum();
	}

	/**
	 * Returns the number of rows whose calls Redis may have carried out twice: rows that
	 * were sent again more than {@code delayqueue.outbox.window} after an attempt with an
	 * unknown outcome.
	 * @return the number since the start of this process
	 */
	public long late() {
		return this.late.sum();
	}

}
