package io.delayqueue.outbox.jdbc;

import java.util.concurrent.atomic.LongAdder;

/**
 * The results of this process with rows since its start. Thread-safe.
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
	 * Rows that were carried out.
	 * @return the number
	 */
	public long relayed() {
		return this.relayed.sum();
	}

	/**
	 * Attempts after which a row is sent again.
	 * @return the number
	 */
	public long retried() {
		return this.retried.sum();
	}

	/**
	 * Rows that Redis has refused, and malformed ones.
	 * @return the number
	 */
	public long failed() {
		return this.failed.sum();
	}

	/**
	 * Rows that were carried out later than the window after an attempt whose outcome is
	 * unknown: their messages may have been stored twice.
	 * @return the number
	 */
	public long late() {
		return this.late.sum();
	}

}
