package io.delayqueue.model;

/**
 * A part of a {@link State}: a few bits in one of its two words. The first word is what
 * Redis holds, the second is everybody else: consumers, callers, and an observer who
 * writes down what the properties are about.
 */
enum Field {

	/** The clock of Redis, 0 to 2. */
	NOW(true, 0, 2),

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

	/** The cancel calls whose answer is remembered, as a set of versions. */
	REMEMBERED(TOMBSTONES, 3),

	/** The version whose expiry stands there. */
	EXPIRIES(REMEMBERED, 2),

	/** The {@link Failures} of the id. */
	FAILURES(EXPIRIES, 7),

	/** The fence: the current entry of the id. */
	ENTRIES(FAILURES, 3),

	/** The stream and its pending list: {@link ReadyStream}. */
	READY(ENTRIES, 4 * ReadyStream.MAX_ENTRIES),

	/** The {@link Consumer} A. */
	CONSUMER_A(false, 0, 13),

	/** The {@link Consumer} B. */
	CONSUMER_B(CONSUMER_A, 13),

	/** The calls that will be repeated, because the answer was lost: {@link Call}. */
	OPEN_CALLS(CONSUMER_B, Call.BITS * Call.MAX_CALLS),

	/** How many calls have been made: their numbers are the versions. */
	CALLS(OPEN_CALLS, 2),

	/** How many deaths, freezes and lost messages there were. */
	FAULTS(CALLS, 2),

	/** How many scripts have stopped half-way. */
	STOPS(FAULTS, 2),

	/** Observer: versions whose caller knows that they were accepted. */
	ACCEPTED(STOPS, 3),

	/** Observer: versions whose handler has succeeded. */
	HANDLED(ACCEPTED, 3),

	/** Observer: versions whose record went because somebody asked for it. */
	ENDED(HANDLED, 3),

	/** Observer: versions of which somebody was told that they are cancelled. */
	CANCELLED(ENDED, 3),

	/** Observer: cancel calls that have removed a message. */
	EXECUTED(CANCELLED, 3);

	private final boolean redis;

	private final int shift;

	private final int bits;

	Field(Field after, int bits) {
		this(after.redis, after.shift + after.bits, bits);
	}

	Field(boolean redis, int shift, int bits) {
		this.redis = redis;
		this.shift = shift;
		this.bits = bits;
	}

	int of(State state) {
		return (int) ((this.redis ? state.redis() : state.world()) >>> this.shift) & mask();
	}

	State set(State state, int value) {
		if ((value & ~mask()) != 0) {
			throw new IllegalArgumentException(value + " does not fit into " + this);
		}
		long cleared = ~((long) mask() << this.shift);
		long placed = (long) value << this.shift;
		return this.redis ? new State(state.redis() & cleared | placed, state.world())
				: new State(state.redis(), state.world() & cleared | placed);
	}

	private int mask() {
		return (1 << this.bits) - 1;
	}

}
