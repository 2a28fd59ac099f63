package io.delayqueue.model;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a {@link State} of a {@link HoldModel}: sets of messages, and times from
 * 1, 0 for none.
 */
enum HoldKey {

	/** Observer: messages that were stored at some time. */
	STORED(null, 3),

	SCHEDULED(STORED, 3),

	PARKED(SCHEDULED, 3),

	READY(PARKED, 3),

	/** Handed over to a consumer that may begin them. */
	TAKEN(READY, 3),

	/** Handed over, and marked as held: the consumer gives them back. */
	MARKED(TAKEN, 3),

	ENDED(MARKED, 3),

	/** The clock of Redis: 0 is 1. */
	CLOCK(ENDED, 2),

	/** The latest end of all holds, in {@code control}. */
	LATEST(CLOCK, 2),

	QUEUE_HOLD(LATEST, 2),

	GROUP_HOLD(QUEUE_HOLD, 2),

	/** The time of the group in {@code throttled}. */
	THROTTLED(GROUP_HOLD, 2),

	/** The mark in {@code control} that {@code throttled} has groups. */
	ANY_THROTTLED(THROTTLED, 1),

	/** Observer: the end of the hold of the queue that a caller knows of. */
	QUEUE_PROMISE(ANY_THROTTLED, 2),

	/** Observer: the same of the group. */
	GROUP_PROMISE(QUEUE_PROMISE, 2),

	/** The calls that hold or release. */
	CALLS(GROUP_PROMISE, 2),

	/** The scripts that stopped half-way. */
	STOPS(CALLS, 1);

	private final Bits bits;

	HoldKey(@Nullable HoldKey after, int width) {
		this.bits = (after != null) ? after.bits.next(width) : Bits.first(0, width);
	}

	int of(State state) {
		return this.bits.of(state);
	}

	State set(State state, int value) {
		return this.bits.set(state, value);
	}

	State plus(State state, int ids) {
		return set(state, of(state) | ids);
	}

	State minus(State state, int ids) {
		return set(state, of(state) & ~ids);
	}

	boolean has(State state, int id) {
		return (of(state) & id) != 0;
	}

}
