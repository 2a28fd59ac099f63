package io.delayqueue.model;

/**
 * The parts of a group's {@link State} besides the {@link GroupKey keys} of its ids.
 * Labels name accepted messages, from 1; a label that no step refers to any more is
 * reused.
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

	/** Number of calls that have scheduled a message. */
	CALLS(OPEN_CALL.bits, 3),

	/** Number of process deaths, freezes and lost requests or answers. */
	FAULTS(CALLS.bits, 2),

	/** Number of scripts that stopped half-way. */
	STOPS(FAULTS.bits, 2),

	/** The calls with a tombstone, as a set of labels. */
	TOMBSTONES(GroupKey.last(2), 7),

	/** Observer: labels whose caller has been informed that they were accepted. */
	ACCEPTED(TOMBSTONES.bits, 7),

	/** Observer: labels whose handler has succeeded. */
	HANDLED(ACCEPTED.bits, 7),

	/** Observer: labels whose record was removed on request. */
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
