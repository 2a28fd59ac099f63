package io.delayqueue.model;

/** Cancel: removes a message from any location; a running handler may finish. */
final class CancelScript {

	private final Scope scope;

	private final Tombstones tombstones;

	CancelScript(Scope scope) {
		this.scope = scope;
		this.tombstones = new Tombstones(scope);
	}

	/**
	 * Any location -> removed; removing the record is the commit.
	 * @param state the state before the script
	 * @param call the call as a set of versions: none for a call that is not repeated
	 * @return the run
	 */
	Script cancel(State state, int call) {
		Script script = this.scope.script(Transition.CANCEL).onRequest(true);
		if (state.has(Field.REMEMBERED, call) && !this.scope.has(Mutation.CANCEL_HAS_NO_MEMORY)
				&& !stoppedBeforeRecord(state)) {
			return script.answers(Answer.AS_BEFORE);
		}
		Location location = state.location();
		int entry = state.get(Field.ENTRIES);
		boolean stored = state.stored();
		// The next schedule of the id finds failures and clears the leftovers.
		boolean marks = stored && (state.expiry().isSet() || this.scope.has(Scope.Feature.GROUPS));
		boolean detaches = !(stored && location == Location.PENDING);
		return script.writeIf(stored, Command.ZADD_TOMBSTONE, this.tombstones.of(state.message()) | call << 3)
			.writeIf(marks, Command.HSETNX_FAILURES, 0)
			.write(Command.HDEL_MESSAGES)
			.write(Command.ZREM_SCHEDULED)
			.write(Command.ZREM_DEAD)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_PARKED)
			.write(Command.HDEL_FAILURES)
			.write(Command.HDEL_ENTRIES)
			.writeIf(detaches, Command.XDEL, entry)
			.writeIf(detaches, Command.XACK, entry)
			.answers(stored ? answer(location) : Answer.NONE);
	}

	private static Answer answer(Location location) {
		return switch (location) {
			case PENDING -> Answer.IN_FLIGHT;
			case DEAD -> Answer.DEAD;
			default -> Answer.CANCELLED;
		};
	}

	/** The answer was written together with the tombstone of the current record. */
	private boolean stoppedBeforeRecord(State state) {
		return state.has(Field.TOMBSTONES, State.setOf(state.message().token()))
				&& !this.scope.has(Mutation.CANCEL_TRUSTS_ITS_MEMORY);
	}

}
