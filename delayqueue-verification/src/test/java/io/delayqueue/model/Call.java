package io.delayqueue.model;

/**
 * A call of a producer or an operator. A call is made once and repeated while its answer
 * is unknown.
 *
 * @param transition schedule, replace, postpone, reschedule, cancel, redrive or discard
 * @param version its number, which is its token and the version that it creates
 * @param due the requested due time, 1 for a call without a due time
 */
record Call(Transition transition, int version, int due) {

	static final int MAX_CALLS = 3;

	/** Number of bits of an open call in {@link Field#OPEN_CALLS}. */
	static final int BITS = 4;

	private static final Transition[] TRANSITIONS = { Transition.SCHEDULE, Transition.REPLACE, Transition.POSTPONE,
			Transition.RESCHEDULE, Transition.CANCEL, Transition.REDRIVE, Transition.DISCARD };

	/** The call as a set of versions. */
	int versions() {
		return State.setOf(this.version);
	}

	/** The calls that will be repeated, as a set of versions. */
	static int open(State state) {
		int open = 0;
		for (int version = 1; version <= MAX_CALLS; version++) {
			open |= (bits(state, version) != 0) ? State.setOf(version) : 0;
		}
		return open;
	}

	/** An open call. */
	static Call of(State state, int version) {
		int bits = bits(state, version);
		return new Call(TRANSITIONS[(bits >> 1) - 1], version, (bits & 1) + 1);
	}

	/** Records that the call will be repeated. */
	State leaveOpen(State state) {
		for (int i = 0; i < TRANSITIONS.length; i++) {
			if (TRANSITIONS[i] == this.transition) {
				return withBits(state, i + 1 << 1 | this.due - 1);
			}
		}
		throw new IllegalStateException(this.transition + " is not a call, which indicates a bug");
	}

	/** Records that the call has received its answer. */
	State close(State state) {
		return withBits(state, 0);
	}

	private State withBits(State state, int bits) {
		int shift = BITS * (this.version - 1);
		return state.with(Field.OPEN_CALLS, state.get(Field.OPEN_CALLS) & ~(15 << shift) | bits << shift);
	}

	private static int bits(State state, int version) {
		return state.get(Field.OPEN_CALLS) >> BITS * (version - 1) & 15;
	}

	/** Whether the call creates no message and its answer is stored. */
	boolean isRemembered() {
		return switch (this.transition) {
			case CANCEL, REDRIVE, DISCARD -> true;
			default -> false;
		};
	}

	@Override
	public String toString() {
		String numbered = this.transition.words() + " v" + this.version;
		return isRemembered() ? numbered : numbered + " due " + this.due;
	}

}
