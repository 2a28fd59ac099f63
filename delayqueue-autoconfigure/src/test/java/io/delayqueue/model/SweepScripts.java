package io.delayqueue.model;

/** What happens to a message when it is due: sweep, park and unpark, expire. */
final class SweepScripts {

	private final Scope scope;

	SweepScripts(Scope scope) {
		this.scope = scope;
	}

	/** When what was due before is due again: at once, but due times begin at 1. */
	static int atOnce(State state) {
		return Math.max(state.get(Field.NOW), 1);
	}

	/** SCHEDULED -> READY. */
	Script sweep(int newEntry) {
		return this.scope.script(Transition.SWEEP)
			.write(Command.XADD, newEntry)
			.write(Command.HSET_ENTRIES, newEntry)
			.write(Command.ZREM_SCHEDULED)
			.answers(Answer.MOVED);
	}

	/** SCHEDULED -> PARKED: due, but the group is full. */
	Script park() {
		return this.scope.script(Transition.PARK)
			.write(Command.ZADD_PARKED, 1)
			.write(Command.ZREM_SCHEDULED)
			.answers(Answer.MOVED);
	}

	/** PARKED -> SCHEDULED: the group has a free place. */
	Script unpark(State state) {
		return this.scope.script(Transition.UNPARK)
			.write(Command.ZADD_SCHEDULED, atOnce(state))
			.write(Command.ZREM_PARKED)
			.answers(Answer.MOVED);
	}

	/**
	 * SCHEDULED -> gone: not started by its expiry. Finished, as far as a repeat of its
	 * call is concerned: sweep reads no record and cannot leave a tombstone.
	 */
	Script expire(State state) {
		int expiring = State.setOf(state.get(Field.EXPIRIES));
		return this.scope.script(Transition.EXPIRE)
			.onRequest((state.message().generation() & expiring) != 0)
			.write(Command.ZADD_DONE, 1)
			.write(Command.HDEL_MESSAGES)
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_SCHEDULED)
			.answers(Answer.MOVED);
	}

}
