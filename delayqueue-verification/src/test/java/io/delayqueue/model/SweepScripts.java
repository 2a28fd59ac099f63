package io.delayqueue.model;

/** The scripts for due messages: sweep, park and unpark. */
final class SweepScripts {

	private final Scope scope;

	SweepScripts(Scope scope) {
		this.scope = scope;
	}

	/**
	 * The earliest due time of a message that is due again: now, but due times begin at
	 * 1.
	 */
	static int atOnce(State state) {
		return Math.max(state.get(Field.NOW), 1);
	}

	/** SCHEDULED -> READY. */
	Script sweep(int newEntry) {
		return this.scope.script(Transition.SWEEP)
			.write(Command.XADD, newEntry)
			.write(Command.HSET_ENTRIES, newEntry)
			.write(Command.ZREM_PARKED)
			.write(Command.ZREM_SCHEDULED)
			.answers(Answer.MOVED);
	}

	/** SCHEDULED -> PARKED: due, but the group is at its limit. */
	Script park() {
		return this.scope.script(Transition.PARK)
			.write(Command.ZADD_PARKED, 1)
			.write(Command.ZREM_SCHEDULED)
			.answers(Answer.MOVED);
	}

	/** PARKED -> SCHEDULED: the group has a free slot. */
	Script unpark(State state) {
		int due = state.stored() ? state.message().due() : atOnce(state);
		return this.scope.script(Transition.UNPARK)
			.writeIf(!state.has(Field.ENTRIES), Command.ZADD_SCHEDULED, due)
			.write(Command.ZREM_PARKED)
			.answers(Answer.MOVED);
	}

}
