package io.delayqueue.model;

/** What an operator does with dead letters: redrive and discard. */
final class DeadLetterScripts {

	private final Scope scope;

	private final Tombstones tombstones;

	DeadLetterScripts(Scope scope) {
		this.scope = scope;
		this.tombstones = new Tombstones(scope);
	}

	/** DEAD -> SCHEDULED; what is alive in another place only leaves the dead letters. */
	Script redrive(State state) {
		boolean moves = state.stored() && nowhereElse(state)
				|| this.scope.has(Mutation.REDRIVE_UNCHECKED_MEETS_STALE_DEAD);
		return this.scope.script(Transition.REDRIVE)
			.writeIf(moves, Command.ZADD_SCHEDULED, SweepScripts.atOnce(state))
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_DEAD)
			.answers(Answer.MOVED);
	}

	/** DEAD -> gone; what is alive in another place is no dead letter. */
	Script discard(State state) {
		Script script = this.scope.script(Transition.DISCARD).onRequest(true);
		if (!nowhereElse(state)) {
			return script.answers(Answer.NONE);
		}
		return script.writeIf(state.stored(), Command.ZADD_TOMBSTONE, this.tombstones.of(state.message()))
			.write(Command.HDEL_MESSAGES)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_PARKED)
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_DEAD)
			.answers(Answer.MOVED);
	}

	private static boolean nowhereElse(State state) {
		return !state.has(Field.ENTRIES) && !state.has(Field.SCHEDULED);
	}

}
