package io.delayqueue.outbox.jdbc;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the outcomes of the rows that this process has sent since its start.
 * Thread-safe.
 */
public final class OutboxCounts {

	private final LongAdder relayed = new LongAdder();

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

	void addMalformed() {
		this.failed.increment();
	}

	void addLate() {
		this.late.increment();
	}

	/**
	 * Returns the number of rows whose calls were carried out.
	 * @return the number
	 */
	public long relayed() {
		return this.relayed.sum();
	}

	/**
	 * Returns the number of attempts after which a row is sent again.
	 * @return the number
	 */
	public long retried() {
		return this.retried.sum();
	}

	/**
	 * Returns the number of rows that Redis has refused or that are malformed.
	 * @return the number
	 */
	public long failed() {
		return this.failed.sum();
	}

	/**
	 * Returns the number of rows that were carried out later than the window after an
	 * attempt whose outcome is unknown, so that their messages may have been stored
	 * twice.
	 * @return the number
	 */
	public long late() {
		return this.late.sum();
	}

}
