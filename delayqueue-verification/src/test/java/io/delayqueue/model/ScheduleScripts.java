package io.delayqueue.model;

import org.jspecify.annotations.Nullable;

/** The scripts of producers: schedule, replace, postpone and reschedule. */
final class ScheduleScripts {

	private final Scope scope;

	private final Tombstones tombstones;

	ScheduleScripts(Scope scope) {
		this.scope = scope;
		this.tombstones = new Tombstones(scope);
	}

	/** (none) -> SCHEDULED; the record is the commit. */
	Script schedule(State state, Call call, boolean again) {
		Script script = this.scope.script(Transition.SCHEDULE);
		if (!state.stored()) {
			boolean finished = state.has(Field.DONE) && !this.tombstones.meets(call, again, state);
			return finished ? script.answers(Answer.DONE) : create(state, call, again);
		}
		if (state.message().token() == call.version()) {
			return createdBefore(script, state, call);
		}
		if (this.tombstones.meets(call, again, state)) {
			return script.answers(Answer.SUPERSEDED);
		}
		return script.answers((state.location() == Location.DEAD) ? Answer.DEAD : Answer.DUPLICATE);
	}

	/**
	 * SCHEDULED, READY, PARKED, PENDING, DEAD -> SCHEDULED: another message, the same id.
	 */
	Script replace(State state, Call call, boolean again) {
		Script answered = answeredWithoutEffect(Transition.REPLACE, state, call, again);
		return (answered != null) ? answered : overwrite(Transition.REPLACE, state, call, call.due());
	}

	/**
	 * SCHEDULED, READY, PARKED, PENDING -> SCHEDULED: another message, the same id, due
	 * no earlier than the previous one. A ready message that is still due stays ready.
	 */
	Script postpone(State state, Call call, boolean again) {
		Script answered = answeredWithoutEffect(Transition.POSTPONE, state, call, again);
		if (answered != null) {
			return answered;
		}
		Location location = state.location();
		if (location == Location.DEAD) {
			return this.scope.script(Transition.POSTPONE).answers(Answer.DEAD);
		}
		int due = (location == Location.PENDING) ? call.due() : Math.max(call.due(), state.message().due());
		return overwrite(Transition.POSTPONE, state, call, due);
	}

	private @Nullable Script answeredWithoutEffect(Transition transition, State state, Call call, boolean again) {
		if (!state.stored()) {
			return create(state, call, again);
		}
		Script script = this.scope.script(transition);
		if (state.message().token() == call.version()) {
			return createdBefore(script, state, call);
		}
		return this.tombstones.meets(call, again, state) ? script.answers(Answer.SUPERSEDED) : null;
	}

	private Script overwrite(Transition transition, State state, Call call, int due) {
		boolean ready = state.location() == Location.READY;
		boolean postponed = transition == Transition.POSTPONE;
		boolean stillDue = due <= state.get(Field.NOW) || this.scope.has(Mutation.POSTPONED_STAYS_READY);
		boolean stays = postponed && ready && stillDue;
		boolean earlier = earlier(state, due);
		Script script = this.scope.script(transition)
			.onRequest(true)
			.write(Command.ZADD_TOMBSTONE, this.tombstones.of(state.message()))
			.write(Command.HDEL_FAILURES)
			.write(Command.ZREM_EXPIRIES)
			.writeIf(!earlier && !stays, Command.ZADD_SCHEDULED, due)
			.write(Command.ZREM_PARKED)
			.writeIf(!stays, Command.HDEL_ENTRIES, 0)
			.writeIf(ready && !stays, Command.XDEL, state.get(Field.ENTRIES))
			.writeIf(!stays, Command.ZREM_DEAD, 0)
			.write(Command.HSET_MESSAGES, Message.of(call, due).toBits())
			.writeIf(earlier, Command.ZADD_SCHEDULED, due)
			.writeIf(expires(call), Command.ZADD_EXPIRIES, new Expiry(call.version(), due).toBits());
		return script.answers(postponed ? Answer.POSTPONED : Answer.REPLACED);
	}

	/** SCHEDULED, READY, PARKED -> SCHEDULED: the same message. */
	Script reschedule(State state, Call call) {
		Script script = this.scope.script(Transition.RESCHEDULE).onRequest(true);
		if (!state.stored()) {
			return script.answers(Answer.NONE);
		}
		Location location = state.location();
		if (location == Location.DEAD) {
			return script.answers(Answer.DEAD);
		}
		if (location == Location.PENDING && !this.scope.has(Mutation.RESCHEDULE_MOVES_PENDING)) {
			return script.answers(Answer.IN_FLIGHT);
		}
		boolean earlier = earlier(state, call.due());
		int expiry = state.expiry().movedTo(call.due()).toBits();
		// An earlier expiry must never be stored beside the record of the later due time.
		boolean expiresEarlier = call.due() < state.message().due();
		return script.writeIf(!earlier, Command.ZADD_SCHEDULED, call.due())
			.write(Command.HDEL_ENTRIES)
			.write(Command.ZREM_DEAD)
			.write(Command.ZREM_PARKED)
			.writeIf(state.expiry().isSet() && !expiresEarlier, Command.ZADD_EXPIRIES, expiry)
			.write(Command.HSET_MESSAGES, rescheduled(state, call).toBits())
			.writeIf(state.expiry().isSet() && expiresEarlier, Command.ZADD_EXPIRIES, expiry)
			.writeIf(earlier, Command.ZADD_SCHEDULED, call.due())
			.writeIf(location == Location.READY, Command.XDEL, state.get(Field.ENTRIES))
			.answers(Answer.RESCHEDULED);
	}

	private Script create(State state, Call call, boolean again) {
		Script script = this.scope.script(Transition.SCHEDULE);
		if (this.tombstones.meets(call, again, state)) {
			return script.answers(Answer.ENDED);
		}
		int entry = state.get(Field.ENTRIES);
		// Leftovers of a script that stopped half-way, as far as these keys show them.
		boolean stale = entry != 0 || state.has(Field.FAILURES) || state.has(Field.DEAD) || state.has(Field.PARKED);
		if (stale) {
			script.write(Command.HDEL_ENTRIES)
				.write(Command.XDEL, entry)
				.write(Command.XACK, entry)
				.write(Command.ZREM_DEAD)
				.write(Command.ZREM_EXPIRIES)
				.write(Command.ZREM_PARKED)
				.write(Command.HDEL_FAILURES);
		}
		boolean forgets = !stale && state.has(Field.SCHEDULED) && !expires(call);
		return script.write(Command.ZADD_SCHEDULED, call.due())
			.writeIf(forgets, Command.ZREM_EXPIRIES, 0)
			.writeIf(expires(call), Command.ZADD_EXPIRIES, new Expiry(call.version(), call.due()).toBits())
			.write(Command.HSET_MESSAGES, Message.of(call, call.due()).toBits())
			.answers(Answer.CREATED);
	}

	/**
	 * The record is of this same call. The first run of this call wrote the record; if
	 * that run replaced a message, the writes after the record may be missing.
	 */
	private Script createdBefore(Script script, State state, Call call) {
		boolean untouched = !state.has(Field.ENTRIES) && !state.has(Field.FAILURES);
		if (call.transition() == Transition.SCHEDULE || !untouched || this.scope.has(Mutation.REPEAT_WRITES_NOTHING)) {
			return script.answers(Answer.CREATED);
		}
		int due = state.message().due();
		boolean expiryMissing = expires(call) && !state.expiry().isSet();
		return script.writeIf(state.get(Field.SCHEDULED) > due, Command.ZADD_SCHEDULED, due)
			.writeIf(expiryMissing, Command.ZADD_EXPIRIES, new Expiry(call.version(), due).toBits())
			.answers(Answer.CREATED);
	}

	/** An earlier due time must never be stored beside the record of the later one. */
	private static boolean earlier(State state, int due) {
		return state.has(Field.SCHEDULED) && due < state.get(Field.SCHEDULED);
	}

	/**
	 * A repeat of a reschedule that finds a newer message moves that message; a
	 * reschedule has no version of its own.
	 */
	private static Message rescheduled(State state, Call call) {
		boolean newer = state.has(Field.ENDED, call.versions());
		return newer ? state.message().moved(call.due()) : state.message().rescheduled(call);
	}

	private boolean expires(Call call) {
		return this.scope.has(Scope.Feature.EXPIRY) && call.due() == 1;
	}

}
