package io.delayqueue.model;

import io.delayqueue.model.GroupScript.Member;

/** What users and operators take away or bring back, and what repair puts right. */
final class GroupUpkeep {

	private final GroupScope scope;

	private final GroupPlaces places;

	GroupUpkeep(GroupScope scope) {
		this.scope = scope;
		this.places = new GroupPlaces(scope);
	}

	/** Anywhere -> gone; removing the record is the commit. */
	GroupScript cancel(State state, int id) {
		GroupScript script = this.scope.script(Transition.CANCEL, state);
		boolean stored = script.has(GroupKey.MESSAGES, id);
		boolean stays = stored && script.isPending(id);
		int entry = script.get(GroupKey.ENTRIES, id);
		boolean wasNext = GroupSweep.isDue(state, id);
		script.tombstone(id);
		if (stored) {
			// Whoever schedules the id next and finds failures clears what is left.
			script.set(GroupKey.FAILURES, id, 1);
		}
		script.removeRecord(id, true).remove(GroupKey.SCHEDULED, id).remove(GroupKey.DEAD, id);
		this.places.forget(script, id, wasNext);
		script.remove(GroupKey.FAILURES, id);
		if (entry != 0) {
			script.remove(GroupKey.ENTRIES, id);
		}
		if (entry != 0 && !stays) {
			script.deleteEntry(id, entry);
		}
		return script.answers(stored ? (stays ? Answer.IN_FLIGHT : Answer.CANCELLED) : Answer.NONE);
	}

	/** DEAD -> SCHEDULED, after a wait; takes a place in the quota. */
	GroupScript redrive(State state, int id) {
		GroupScript script = this.scope.script(Transition.REDRIVE, state);
		boolean moves = script.has(GroupKey.MESSAGES, id) && !script.has(GroupKey.ENTRIES, id)
				&& !script.has(GroupKey.SCHEDULED, id);
		boolean hasPlace = script.hasMember(GroupKey.GROUPS, id);
		int quota = this.scope.quota();
		boolean full = quota != 0 && script.count(GroupKey.GROUPS) >= quota
				&& !this.scope.has(GroupMutation.REDRIVE_DOES_NOT_COUNT);
		if (moves && !hasPlace && full) {
			return script.answers(Answer.FULL)
				.breaksIf(GroupWorld.STOPS.of(state) == 0 && this.scope.living(state) < quota, Property.G5);
		}
		boolean placeFirst = this.scope.has(GroupMutation.REDRIVE_TAKES_PLACE_FIRST);
		if (moves && placeFirst) {
			script.addMember(GroupKey.GROUPS, id, script.get(GroupKey.GROUPED, id));
		}
		if (moves) {
			script.set(GroupKey.SCHEDULED, id, GroupKey.REDRIVEN);
		}
		// A run that stopped half-way has moved what does not move; its place is its own.
		boolean joins = script.has(GroupKey.MESSAGES, id) && !placeFirst;
		if (joins && !this.scope.has(GroupMutation.REDRIVE_TAKES_NO_PLACE)) {
			script.addMember(GroupKey.GROUPS, id, script.get(GroupKey.GROUPED, id));
		}
		return script.remove(GroupKey.FAILURES, id).remove(GroupKey.DEAD, id).answers(Answer.MOVED);
	}

	/** DEAD -> gone. */
	GroupScript discard(State state, int id) {
		GroupScript script = this.scope.script(Transition.DISCARD, state);
		if (script.has(GroupKey.ENTRIES, id) || script.has(GroupKey.SCHEDULED, id)) {
			return script.answers(Answer.NONE);
		}
		script.tombstone(id).removeRecord(id, true);
		this.places.forget(script, id, false);
		return script.remove(GroupKey.FAILURES, id).remove(GroupKey.DEAD, id).answers(Answer.MOVED);
	}

	/** Puts right what stands where it must not, or does not stand where it must. */
	GroupScript repair(State state, int id) {
		GroupScript script = this.scope.script(Transition.REPAIR, state);
		if (script.has(GroupKey.MESSAGES, id)) {
			repairStored(script, id);
		}
		else {
			clear(script, id);
		}
		leftOvers(script, GroupKey.GROUPS, id);
		leftOvers(script, GroupKey.PARKED, id);
		if (script.has(GroupKey.ACTIVE, id) && !mayBeActive(script, id)) {
			script.remove(GroupKey.ACTIVE, id);
		}
		return script.answers(Answer.MOVED);
	}

	private void repairStored(GroupScript script, int id) {
		int grouped = script.get(GroupKey.GROUPED, id);
		int entry = script.get(GroupKey.ENTRIES, id);
		Place place = GroupScope.place(script.state(), id);
		boolean under = place == Place.READY || place == Place.PENDING;
		boolean scheduled = script.has(GroupKey.SCHEDULED, id);
		boolean dead = script.has(GroupKey.DEAD, id);
		boolean aside = script.hasMember(GroupKey.PARKED, id);
		boolean twice = aside && (entry != 0 || scheduled);
		int due = script.get(GroupKey.DUE, id);
		boolean nowhere = !under && !scheduled && !dead && (!aside || twice);
		boolean early = !under && scheduled && due > GroupWorld.now(script.state())
				&& script.get(GroupKey.SCHEDULED, id) < due;
		if (nowhere || early) {
			script.set(GroupKey.SCHEDULED, id, due);
		}
		boolean redriven = dead && !under && (scheduled || aside);
		if (redriven) {
			script.remove(GroupKey.FAILURES, id);
		}
		if ((!dead || redriven) && !script.hasMember(GroupKey.GROUPS, id)) {
			script.addMember(GroupKey.GROUPS, id, grouped);
		}
		if (twice) {
			script.removeMember(GroupKey.PARKED, id, grouped);
		}
		if (place == Place.READY) {
			script.remove(GroupKey.SCHEDULED, id);
		}
		if (place == Place.READY || redriven) {
			script.remove(GroupKey.DEAD, id);
		}
		if (entry != 0 && !under) {
			script.remove(GroupKey.ENTRIES, id).deleteEntry(id, entry);
		}
	}

	private void clear(GroupScript script, int id) {
		int entry = script.get(GroupKey.ENTRIES, id);
		this.places.forget(script, id, false);
		script.remove(GroupKey.SCHEDULED, id).remove(GroupKey.DEAD, id).remove(GroupKey.ENTRIES, id);
		if (entry != 0) {
			script.deleteEntry(id, entry);
		}
		// Last: they tell who schedules the id next that something is left.
		script.remove(GroupKey.FAILURES, id);
	}

	/**
	 * Members that name another due time than the one of the id, or an id that is gone.
	 */
	private void leftOvers(GroupScript script, GroupKey key, int id) {
		for (Member member : script.members(key)) {
			boolean right = script.has(GroupKey.MESSAGES, id) && script.get(GroupKey.GROUPED, id) == member.due();
			if (member.id() == id && !right) {
				script.removeMember(key, id, member.due());
			}
		}
	}

	/** What is ready, pending, or waits for a retry. */
	private boolean mayBeActive(GroupScript script, int id) {
		if (this.scope.has(GroupMutation.REPAIR_LEAVES_THE_SCHEDULED)) {
			return script.has(GroupKey.MESSAGES, id)
					&& (script.has(GroupKey.ENTRIES, id) || script.has(GroupKey.SCHEDULED, id));
		}
		boolean waitsForItsDueTime = script.get(GroupKey.SCHEDULED, id) > GroupWorld.now(script.state())
				&& !script.has(GroupKey.FAILURES, id);
		return script.has(GroupKey.MESSAGES, id)
				&& (script.has(GroupKey.ENTRIES, id) || script.has(GroupKey.SCHEDULED, id) && !waitsForItsDueTime);
	}

}
