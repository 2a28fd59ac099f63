package io.delayqueue.model;

/**
 * What a {@link State} of a group holds besides the {@link GroupKey keys} of its ids.
 * Labels name what was accepted, from 1; one that nobody can ask about any more is given
 * to another.
 */
enum GroupWorld {

	/** The {@link GroupWorker} A. */
	WORKER_A(GroupKey.last(0), GroupWorker.BITS),

	/** The {@link GroupWorker} B. */
	WORKER_B(WORKER_A.bits, GroupWorker.BITS),

	/** The clock of Redis: 0 is 1, and 1 is 2. */
	CLOCK(GroupKey.last(1), 1),

	/** The call that will be repeated: a {@link GroupCall}. */
	OPEN_CALL(CLOCK.bits, GroupCall.BITS),

	/** How many calls have been made that bring a message. */
	CALLS(OPEN_CALL.bits, 3),

	/** How many deaths, freezes and lost messages there were. */
	FAULTS(CALLS.bits, 2),

	/** How many scripts have stopped half-way. */
	STOPS(FAULTS.bits, 2),

	/** The calls that have a tombstone, as a set of labels. */
	TOMBSTONES(GroupKey.last(2), 7),

	/** Observer: labels whose caller knows that they were accepted. */
	ACCEPTED(TOMBSTONES.bits, 7),

	/** Observer: labels whose handler has succeeded. */
	HANDLED(ACCEPTED.bits, 7),

	/** Observer: labels whose record went because somebody asked for it. */
	ENDED(HANDLED.bits, 7);

	private final Bits bits;

	GroupWorld(Bits after, int width) {
		this.bits = after.next(width);
	}

	int of(State state) {
		return this.bits.of(state);
	}

	State set(State state, int value) {
		return this.bits.set(state, value);
	}

	State plus(State state, int labels) {
		return set(state, of(state) | labels);
	}

	State counted(State state) {
		return set(state, of(state) + 1);
	}

	boolean has(State state, int labels) {
		return (of(state) & labels) != 0;
	}

	/** The time. */
	static int now(State state) {
		return CLOCK.of(state) + 1;
	}

}
