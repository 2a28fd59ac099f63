package io.delayqueue.model;

/** Repair: leaves each record one location, and no leftovers of removed records. */
final class RepairScript {

	private final Scope scope;

	RepairScript(Scope scope) {
		this.scope = scope;
	}

	/** No location -> SCHEDULED, two locations -> one. */
	Script repair(State state) {
		Script script = this.scope.script(Transition.REPAIR);
		return state.stored() ? repaired(script, state) : cleared(script, state);
	}

	private Script repaired(Script script, State state) {
		int entry = state.get(Field.ENTRIES);
		Location location = state.location();
		boolean elsewhere = entry != 0 || state.has(Field.SCHEDULED);
		boolean twice = state.has(Field.PARKED) && elsewhere;
		// A pending message is settled by its consumer, or reclaimed.
		boolean held = location == Location.PENDING;
		boolean ready = location == Location.READY;
		boolean alive = state.has(Field.SCHEDULED) || state.has(Field.PARKED);
		boolean redriven = !held && !ready && alive && state.has(Field.DEAD);
		boolean nowhere = !held && !ready && !state.has(Field.SCHEDULED) && !state.has(Field.DEAD)
				&& (!state.has(Field.PARKED) || twice);
		int due = state.message().due();
		boolean early = !held && !ready && state.has(Field.SCHEDULED) && due > state.get(Field.NOW)
				&& state.get(Field.SCHEDULED) < due;
		boolean stale = entry != 0 && !held && !ready;
		return script.writeIf(nowhere || early, Command.ZADD_SCHEDULED, due)
			.writeIf(redriven, Command.HDEL_FAILURES, 0)
			.writeIf(twice, Command.ZREM_PARKED, 0)
			.writeIf(ready, Command.ZREM_SCHEDULED, 0)
			.writeIf(ready || redriven, Command.ZREM_DEAD, 0)
			.writeIf(stale, Command.HDEL_ENTRIES, 0)
			.writeIf(stale, Command.XDEL, entry)
			.writeIf(stale, Command.XACK, entry)
			.answers(nowhere ? Answer.MOVED : Answer.NONE);
	}

	private static Script cleared(Script script, State state) {
		int entry = state.get(Field.ENTRIES);
		return script.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_PARKED)
			.write(Command.ZREM_SCHEDULED)
			.write(Command.ZREM_DEAD)
			.write(Command.HDEL_ENTRIES)
			.write(Command.XDEL, entry)
			.write(Command.XACK, entry)
			.write(Command.HDEL_FAILURES)
			.answers(Answer.MOVED);
	}

}
