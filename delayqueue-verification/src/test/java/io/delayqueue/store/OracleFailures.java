package io.delayqueue.store;

import io.delayqueue.record.FailureRecord;

/**
 * The failures, crashes and defers of one message of the oracle.
 */
final class OracleFailures {

	/** Whether the message has an entry in {@code failures}, even with zero counts. */
	private boolean counted;

	private int failures;

	private int crashes;

	private int defers;

	private String settled = "";

	private String reason = "";

	boolean isCounted() {
		return this.counted;
	}

	void count() {
		this.counted = true;
	}

	FailureRecord record() {
		return new FailureRecord(this.failures, this.crashes, this.defers, this.reason.isEmpty() ? null : this.reason);
	}

	boolean isSettledBy(String entry) {
		return this.settled.equals(entry);
	}

	void failed(String entry, String reason) {
		this.counted = true;
		this.failures++;
		this.settled = entry;
		this.reason = reason;
	}

	void deferred(String entry) {
		this.counted = true;
		this.defers++;
		this.settled = entry;
	}

	/** Counts a crash; returns whether it is the last one that the message may have. */
	boolean crashed(int maxCrashes, String reason) {
		this.counted = true;
		this.crashes++;
		if (this.crashes >= maxCrashes) {
			this.reason = reason;
		}
		return this.crashes >= maxCrashes;
	}

	void reset() {
		this.counted = false;
		this.failures = 0;
		this.crashes = 0;
		this.defers = 0;
		this.settled = "";
		this.reason = "";
	}

	/** The value in {@code failures}. */
	String text() {
		return "%d|%d|%d|%s|%s".formatted(this.failures, this.crashes, this.defers, this.settled, this.reason);
	}

}
