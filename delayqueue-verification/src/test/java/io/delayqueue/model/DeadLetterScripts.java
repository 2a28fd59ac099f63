package io.delayqueue.model;

/** Operations on dead letters: redrive and discard. */
final class DeadLetterScripts {

	private final Scope scope;

	private final Tombstones tombstones;

	DeadLetterScripts(Scope scope) {
		this.scope = scope;
		this.tombstones = new Tombstones(scope);
	}

	/**
	 * DEAD -> SCHEDULED; a message that also has another location is only removed from
	 * the dead letters.
	 * @param state the state before the script
	 * @param call the call as a set of versions: none for a call that is not repeated
	 * @return the run
	 */
	Script redrive(State state, int call) {
		Script script = this.scope.script(Transition.REDRIVE);
		boolean again = state.has(Field.REMEMBERED, call) && !this.scope.has(Mutation.REDRIVE_HAS_NO_MEMORY);
		boolean stored = state.stored();
		if (!state.has(Field.DEAD) || (again && stored && nowhereElse(state))) {
			return script.answers(again ? Answer.AS_BEFORE : Answer.NONE);
		}
		if (again) {
			return script.write(Command.ZREM_DEAD).answers(Answer.AS_BEFORE);
		}
		boolean moves = (stored && nowhereElse(state)) || this.scope.has(Mutation.REDRIVE_UNCHECKED_MEETS_STALE_DEAD);
		return script.writeIf(moves, Command.ZADD_SCHEDULED, SweepScripts.atOnce(state))
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES)
			.writeIf(stored, Command.ZADD_MEMORY, call)
			.write(Command.ZREM_DEAD)
			.answers((stored || moves) ? Answer.MOVED : Answer.NONE);
	}

	/**
	 * DEAD -> removed; a message that also has another location is no dead letter.
	 * @param state the state before the script
	 * @param call the call as a set of versions: none for a call that is not repeated
	 * @return the run
	 */
	Script discard(State state, int call) {
		Script script = this.scope.script(Transition.DISCARD).onRequest(true);
		boolean again = state.has(Field.REMEMBERED, call) && !this.scope.has(Mutation.DISCARD_HAS_NO_MEMORY);
		boolean stored = state.stored();
		if (!state.has(Field.DEAD) || !nowhereElse(state) || (again && stored && !stoppedBeforeRecord(state))) {
			return script.answers(again ? Answer.AS_BEFORE : Answer.NONE);
		}
		return script.writeIf(stored && !again, Command.ZADD_TOMBSTONE, this.tombstones.of(state.message()) | call << 3)
			.write(Command.HDEL_MESSAGES)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_PARKED)
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_DEAD)
			.answers(again ? Answer.AS_BEFORE : stored ? Answer.MOVED : Answer.NONE);
	}

	/** The answer was written together with the tombstone of the current record. */
	private boolean stoppedBeforeRecord(State state) {
		return state.has(Field.TOMBSTONES, State.setOf(state.message().token()))
				&& !this.scope.has(Mutation.DISCARD_TRUSTS_ITS_MEMORY);
	}

	private static boolean nowhereElse(State state) {
		return !state.has(Field.ENTRIES) && !state.has(Field.SCHEDULED);
	}

}
