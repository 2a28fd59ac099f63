package io.delayqueue.model;

/**
 * The scripts that end a delivery: acknowledge, retry or dead-letter, release, reclaim.
 */
final class SettlementScripts {

	private final Scope scope;

	private final Tombstones tombstones;

	SettlementScripts(Scope scope) {
		this.scope = scope;
		this.tombstones = new Tombstones(scope);
	}

	/**
	 * PENDING -> removed; removing the record is the commit.
	 * @param state the state before the script
	 * @param entry the delivered entry
	 * @param requested whether this end was requested: the expiry of the message
	 * @return the run
	 */
	Script acknowledge(State state, int entry, boolean requested) {
		if (!counts(state, entry)) {
			return withoutEffect(Transition.ACKNOWLEDGE, state, entry);
		}
		boolean noTombstone = this.scope.has(Mutation.ACKNOWLEDGE_LEAVES_NO_TOMBSTONE);
		return this.scope.script(Transition.ACKNOWLEDGE)
			.onRequest(requested)
			.write(Command.ZADD_DONE, noTombstone ? 0 : this.tombstones.of(state.message()))
			.write(Command.HDEL_MESSAGES)
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.ZREM_PARKED)
			.write(Command.HDEL_ENTRIES)
			.write(Command.XDEL, entry)
			.write(Command.XACK, entry)
			.answers(Answer.SETTLED);
	}

	/** PENDING -> SCHEDULED, or at the last attempt -> DEAD. */
	Script retryOrDeadLetter(State state, int entry) {
		Failures before = state.failures();
		// A repeat does not count again.
		boolean counted = before.lastSettled() == entry && !this.scope.has(Mutation.REPEATED_RETRY_COUNTS);
		Failures failures = counted ? before : before.failed(entry);
		boolean last = failures.failures() == Failures.LIMIT;
		return requeue(last ? Transition.DEAD_LETTER : Transition.RETRY, state, entry, failures, last);
	}

	/** PENDING -> SCHEDULED, without counting a failure. */
	Script release(State state, int entry) {
		return requeue(Transition.RELEASE, state, entry, state.failures(), false);
	}

	/**
	 * PENDING -> SCHEDULED, or at the crash limit -> DEAD: the visibility timeout has
	 * passed.
	 */
	Script reclaim(State state, int entry) {
		Script script = this.scope.script(Transition.RECLAIM);
		if (!state.ready().inStream(entry)) {
			return script.write(Command.XACK, entry).answers(Answer.GONE);
		}
		if (!counts(state, entry)) {
			return withoutEffect(Transition.RECLAIM, state, entry);
		}
		// An earlier run that stopped half-way has scheduled the message, and may have
		// counted the crash.
		boolean deadLettered = state.has(Field.DEAD) && state.failures().crashes() == Failures.LIMIT;
		boolean due = state.has(Field.SCHEDULED) && state.get(Field.SCHEDULED) <= state.get(Field.NOW);
		if (!deadLettered && !due) {
			Failures failures = state.failures().crashed();
			boolean dead = failures.crashes() == Failures.LIMIT || state.has(Field.DEAD);
			script.writeIf(dead, Command.ZADD_DEAD, 1)
				.writeIf(dead, Command.ZREM_SCHEDULED, 0)
				.writeIf(!dead, Command.ZADD_SCHEDULED, SweepScripts.atOnce(state))
				.write(Command.HSET_FAILURES, failures.toBits());
		}
		return ended(script, entry).answers(Answer.SETTLED);
	}

	private Script requeue(Transition transition, State state, int entry, Failures failures, boolean dead) {
		if (!counts(state, entry)) {
			return withoutEffect(transition, state, entry);
		}
		boolean countsFirst = transition == Transition.RETRY;
		Script script = this.scope.script(transition)
			.writeIf(countsFirst, Command.HSET_FAILURES, failures.toBits())
			.writeIf(!dead, Command.ZADD_SCHEDULED, SweepScripts.atOnce(state))
			.writeIf(dead, Command.ZADD_DEAD, 1)
			.writeIf(dead, Command.HSET_FAILURES, failures.toBits());
		return ended(script, entry).answers(Answer.SETTLED);
	}

	private static Script ended(Script script, int entry) {
		return script.write(Command.HDEL_ENTRIES).write(Command.XDEL, entry).write(Command.XACK, entry);
	}

	/** The fence check. */
	private boolean counts(State state, int entry) {
		return state.stored() && (state.get(Field.ENTRIES) == entry || this.scope.has(Mutation.NO_FENCE));
	}

	private Script withoutEffect(Transition transition, State state, int entry) {
		Script script = this.scope.script(transition);
		if (state.get(Field.ENTRIES) == entry) {
			script.write(Command.HDEL_FAILURES)
				.write(Command.ZREM_EXPIRIES)
				.write(Command.ZREM_PARKED)
				.write(Command.HDEL_ENTRIES);
		}
		boolean gone = !state.stored() || state.failures().lastSettled() == entry;
		return script.write(Command.XDEL, entry)
			.write(Command.XACK, entry)
			.answers(gone ? Answer.GONE : Answer.SUPERSEDED);
	}

}
