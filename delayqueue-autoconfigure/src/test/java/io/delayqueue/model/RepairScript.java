package io.delayqueue.model;

/** Repair: gives a record without a place one, and clears what has no record. */
final class RepairScript {

	private final Scope scope;

	RepairScript(Scope scope) {
		this.scope = scope;
	}

	/** No place -> SCHEDULED. */
	Script repair(State state) {
		Script script = this.scope.script(Transition.REPAIR);
		if (!state.stored()) {
			return leftOversCleared(script, state).answers(Answer.MOVED);
		}
		if (state.place() != Place.NOWHERE) {
			return script.answers(Answer.NONE);
		}
		return script.write(Command.ZADD_SCHEDULED, state.message().due())
			.write(Command.HDEL_ENTRIES)
			.answers(Answer.MOVED);
	}

	/** Without a record, all else that is known of the id was left by stopped scripts. */
	static Script leftOversCleared(Script script, State state) {
		int entry = state.get(Field.ENTRIES);
		return script.write(Command.HDEL_ENTRIES)
			.write(Command.XDEL, entry)
			.write(Command.XACK, entry)
			.write(Command.ZREM_PARKED)
			.write(Command.ZREM_DEAD)
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES);
	}

}
