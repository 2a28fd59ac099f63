package io.delayqueue.model;

/**
 * A part of a {@link State}: a few bits in one of its words. The first word is the
 * content of Redis, the second is consumers and callers, the third is an observer that
 * records the facts that the properties need.
 */
enum Field {

	/** The clock of Redis, 0 to 2. */
	NOW(0, 2),

	/** The record: a {@link Message}. */
	MESSAGES(NOW, 9),

	/** The score: 1 or 2. */
	SCHEDULED(MESSAGES, 2),

	/** Whether the id is parked because its group is at its limit. */
	PARKED(SCHEDULED, 1),

	/** Whether the id is a dead letter. */
	DEAD(PARKED, 1),

	/** Whether the id has finished and its window has not ended. */
	DONE(DEAD, 1),

	/** The calls with a tombstone, as a set of versions. */
	TOMBSTONES(DONE, 3),

	/** The calls with a stored answer, as a set of versions. */
	REMEMBERED(TOMBSTONES, 3),

	/** The expiry: an {@link Expiry}. */
	EXPIRIES(REMEMBERED, 4),

	/** The {@link Failures} of the id. */
	FAILURES(EXPIRIES, 7),

	/** The fence: the current entry of the id. */
	ENTRIES(FAILURES, 3),

	/** The stream and its pending list: {@link ReadyStream}. */
	READY(ENTRIES, 4 * ReadyStream.MAX_ENTRIES),

	/** The {@link Consumer} A. */
	CONSUMER_A(1, 16),

	/** The {@link Consumer} B. */
	CONSUMER_B(CONSUMER_A, 16),

	/** The calls that will be repeated because their answer was lost: {@link Call}. */
	OPEN_CALLS(CONSUMER_B, Call.BITS * Call.MAX_CALLS),

	/** Number of calls made; their numbers are the versions. */
	CALLS(OPEN_CALLS, 2),

	/** Number of process deaths, freezes and lost requests or answers. */
	FAULTS(CALLS, 2),

	/** Number of scripts that stopped half-way. */
	STOPS(FAULTS, 2),

	/** Whether living consumers could renew their leases: {@link Leases}. */
	LEASES(STOPS, 2),

	/** Observer: versions whose caller has been informed that they were accepted. */
	ACCEPTED(2, 3),

	/** Observer: versions whose handler has succeeded. */
	HANDLED(ACCEPTED, 3),

	/** Observer: versions whose record was removed on request. */
	ENDED(HANDLED, 3),

	/** Observer: versions that were reported as cancelled. */
	CANCELLED(ENDED, 3),

	/** Observer: calls that have removed or redriven a message. */
	EXECUTED(CANCELLED, 3);

	private final Bits bits;

	Field(Field after, int width) {
		this.bits = after.bits.next(width);
	}

	Field(int word, int width) {
		this.bits = Bits.first(word, width);
	}

	int of(State state) {
		return this.bits.of(state);
	}

	State set(State state, int value) {
		return this.bits.set(state, value);
	}

}
