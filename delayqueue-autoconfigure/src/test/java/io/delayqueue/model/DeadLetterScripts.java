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
		boolean nowhereElse = state.place() == Place.DEAD
				|| this.scope.has(Mutation.REDRIVE_UNCHECKED_MEETS_STALE_DEAD);
		Script script = this.scope.script(Transition.REDRIVE);
		if (nowhereElse) {
			script.write(Command.ZADD_SCHEDULED, SweepScripts.atOnce(state)).write(Command.HDEL_FAILURES);
		}
		return script.write(Command.ZREM_EXPIRIES).write(Command.ZREM_DEAD).answers(Answer.MOVED);
	}

	/** DEAD -> gone; what is alive in another place only leaves the dead letters. */
	Script discard(State state) {
		Script script = this.scope.script(Transition.DISCARD).onRequest(true);
		if (!state.stored() || state.place() != Place.DEAD) {
			return script.write(Command.ZREM_DEAD).answers(Answer.NONE);
		}
		return script.write(Command.ZADD_TOMBSTONE, this.tombstones.of(state.message()))
			.write(Command.HDEL_MESSAGES)
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_DEAD)
			.answers(Answer.MOVED);
	}

}
