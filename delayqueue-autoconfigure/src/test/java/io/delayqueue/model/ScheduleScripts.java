package io.delayqueue.model;

/** What producers run: schedule, replace and reschedule. */
final class ScheduleScripts {

	private final Scope scope;

	private final Tombstones tombstones;

	ScheduleScripts(Scope scope) {
		this.scope = scope;
		this.tombstones = new Tombstones(scope);
	}

	/** (none) -> SCHEDULED; the record is the commit. */
	Script schedule(State state, Call call, boolean again) {
		if (!state.stored()) {
			return create(state, call, again);
		}
		Script script = this.scope.script(Transition.SCHEDULE);
		if (state.message().token() == call.version()) {
			return createdBefore(script, state, call);
		}
		if (this.tombstones.meets(call, again, state)) {
			return script.answers(Answer.SUPERSEDED);
		}
		return script.answers((state.place() == Place.DEAD) ? Answer.DEAD : Answer.DUPLICATE);
	}

	/**
	 * SCHEDULED, READY, PARKED, PENDING, DEAD -> SCHEDULED: another message, the same id.
	 */
	Script replace(State state, Call call, boolean again) {
		if (!state.stored()) {
			return create(state, call, again);
		}
		Script script = this.scope.script(Transition.REPLACE).onRequest(true);
		if (state.message().token() == call.version()) {
			return createdBefore(script, state, call);
		}
		if (this.tombstones.meets(call, again, state)) {
			return script.answers(Answer.SUPERSEDED);
		}
		boolean earlier = earlier(state, call);
		return script.write(Command.ZADD_TOMBSTONE, this.tombstones.of(state.message()))
			.writeIf(!earlier, Command.ZADD_SCHEDULED, call.due())
			.write(Command.HDEL_ENTRIES)
			.write(Command.ZREM_PARKED)
			.write(Command.ZREM_DEAD)
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES)
			.write(Command.HSET_MESSAGES, Message.of(call).toBits())
			.writeIf(expires(call), Command.ZADD_EXPIRIES, call.version())
			.writeIf(earlier, Command.ZADD_SCHEDULED, call.due())
			.writeIf(state.place() == Place.READY, Command.XDEL, state.get(Field.ENTRIES))
			.answers(Answer.REPLACED);
	}

	/** SCHEDULED, READY, PARKED -> SCHEDULED: the same message. */
	Script reschedule(State state, Call call) {
		Script script = this.scope.script(Transition.RESCHEDULE).onRequest(true);
		if (!state.stored()) {
			return script.answers(state.has(Field.DONE) ? Answer.DONE : Answer.NONE);
		}
		Place place = state.place();
		if (place == Place.DEAD) {
			return script.answers(Answer.DEAD);
		}
		if (place == Place.PENDING && !this.scope.has(Mutation.RESCHEDULE_MOVES_PENDING)) {
			return script.answers(Answer.IN_FLIGHT);
		}
		boolean earlier = earlier(state, call);
		return script.writeIf(!earlier, Command.ZADD_SCHEDULED, call.due())
			.write(Command.HDEL_ENTRIES)
			.write(Command.ZREM_PARKED)
			.write(Command.ZREM_DEAD)
			.write(Command.HSET_MESSAGES, rescheduled(state, call).toBits())
			.writeIf(earlier, Command.ZADD_SCHEDULED, call.due())
			.writeIf(place == Place.READY, Command.XDEL, state.get(Field.ENTRIES))
			.answers(Answer.RESCHEDULED);
	}

	private Script create(State state, Call call, boolean again) {
		Script script = this.scope.script(Transition.SCHEDULE);
		if (this.tombstones.meets(call, again, state)) {
			return script.answers(Answer.ENDED);
		}
		if (state.has(Field.DONE)) {
			return script.answers(Answer.DONE);
		}
		return RepairScript.leftOversCleared(script, state)
			.write(Command.ZADD_SCHEDULED, call.due())
			.writeIf(expires(call), Command.ZADD_EXPIRIES, call.version())
			.write(Command.HSET_MESSAGES, Message.of(call).toBits())
			.answers(Answer.CREATED);
	}

	/**
	 * The record is of this very call. Its first run got as far as the record; what
	 * follows the record may be missing, or a replace that stopped may have moved the
	 * place.
	 */
	private Script createdBefore(Script script, State state, Call call) {
		if (this.scope.has(Mutation.REPEAT_WRITES_NOTHING)) {
			return script.answers(Answer.CREATED);
		}
		int due = state.message().due();
		boolean later = state.get(Field.SCHEDULED) > due && !state.has(Field.FAILURES);
		return script.writeIf(expires(call), Command.ZADD_EXPIRIES, call.version())
			.writeIf(later, Command.ZADD_SCHEDULED, due)
			.answers(Answer.CREATED);
	}

	/** An earlier due time must never meet the record of the later one. */
	private static boolean earlier(State state, Call call) {
		return state.has(Field.SCHEDULED) && call.due() < state.get(Field.SCHEDULED);
	}

	/** A repeat that meets a newer message moves it, and makes no version of its own. */
	private static Message rescheduled(State state, Call call) {
		boolean newer = state.has(Field.ENDED, call.versions());
		return newer ? state.message().moved(call.due()) : state.message().rescheduled(call);
	}

	private boolean expires(Call call) {
		return this.scope.has(Scope.Feature.EXPIRY) && call.due() == 1;
	}

}
