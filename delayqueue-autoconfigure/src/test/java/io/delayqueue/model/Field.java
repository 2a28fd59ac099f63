package io.delayqueue.model;

/**
 * A part of a {@link State}: a few bits in one of its words. The first word is what Redis
 * holds, the second is consumers and callers, the third is an observer who writes down
 * what the properties are about.
 */
enum Field {

	/** The clock of Redis, 0 to 2. */
	NOW(0, 2),

	/** The record: a {@link Message}. */
	MESSAGES(NOW, 9),

	/** The score: 1 or 2. */
	SCHEDULED(MESSAGES, 2),

	/** Whether the id waits because its group is full. */
	PARKED(SCHEDULED, 1),

	/** Whether the id is a dead letter. */
	DEAD(PARKED, 1),

	/** Whether the id has finished and its window has not ended. */
	DONE(DEAD, 1),

	/** The calls that have a tombstone, as a set of versions. */
	TOMBSTONES(DONE, 3),

	/** The calls whose answer is remembered, as a set of versions. */
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

	/** The calls that will be repeated, because the answer was lost: {@link Call}. */
	OPEN_CALLS(CONSUMER_B, Call.BITS * Call.MAX_CALLS),

	/** How many calls have been made: their numbers are the versions. */
	CALLS(OPEN_CALLS, 2),

	/** How many deaths, freezes and lost messages there were. */
	FAULTS(CALLS, 2),

	/** How many scripts have stopped half-way. */
	STOPS(FAULTS, 2),

	/** Whether living consumers could renew their leases: {@link Leases}. */
	LEASES(STOPS, 2),

	/** Observer: versions whose caller knows that they were accepted. */
	ACCEPTED(2, 3),

	/** Observer: versions whose handler has succeeded. */
	HANDLED(ACCEPTED, 3),

	/** Observer: versions whose record went because somebody asked for it. */
	ENDED(HANDLED, 3),

	/** Observer: versions of which somebody was told that they are cancelled. */
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
