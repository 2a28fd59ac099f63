package io.delayqueue.model;

import io.delayqueue.model.GroupScript.Member;

/** Cancel, redrive, discard and repair of a group. */
final class GroupUpkeep {

	private final GroupScope scope;

	private final GroupSlots slots;

	GroupUpkeep(GroupScope scope) {
		this.scope = scope;
		this.slots = new GroupSlots(scope);
	}

	/** Any location -> removed; removing the record is the commit. */
	GroupScript cancel(State state, int id) {
		GroupScript script = this.scope.script(Transition.CANCEL, state);
		boolean stored = script.has(GroupKey.MESSAGES, id);
		boolean stays = stored && script.isPending(id);
		int entry = script.get(GroupKey.ENTRIES, id);
		boolean wasNext = GroupSweep.isDue(state, id);
		script.tombstone(id);
		if (stored) {
			// The next schedule of the id finds failures and clears the leftovers.
			script.set(GroupKey.FAILURES, id, 1);
		}
		script.removeRecord(id, true).remove(GroupKey.SCHEDULED, id).remove(GroupKey.DEAD, id);
		this.slots.forget(script, id, wasNext);
		script.remove(GroupKey.FAILURES, id);
		if (entry != 0) {
			script.remove(GroupKey.ENTRIES, id);
		}
		if (entry != 0 && !stays) {
			script.deleteEntry(id, entry);
		}
		return script.answers(stored ? (stays ? Answer.IN_FLIGHT : Answer.CANCELLED) : Answer.NONE);
	}

	/** DEAD -> SCHEDULED, after a wait; takes a slot of the quota. */
	GroupScript redrive(State state, int id) {
		GroupScript script = this.scope.script(Transition.REDRIVE, state);
		boolean moves = script.has(GroupKey.MESSAGES, id) && !script.has(GroupKey.ENTRIES, id)
				&& !script.has(GroupKey.SCHEDULED, id);
		boolean hasSlot = script.hasMember(GroupKey.GROUPS, id);
		int quota = this.scope.quota();
		boolean full = quota != 0 && script.count(GroupKey.GROUPS) >= quota
				&& !this.scope.has(GroupMutation.REDRIVE_DOES_NOT_COUNT);
		if (moves && !hasSlot && full) {
			return script.answers(Answer.FULL)
				.breaksIf(GroupWorld.STOPS.of(state) == 0 && this.scope.living(state) < quota, Property.G5);
		}
		boolean slotFirst = this.scope.has(GroupMutation.REDRIVE_TAKES_SLOT_FIRST);
		if (moves && slotFirst) {
			script.addMember(GroupKey.GROUPS, id, script.get(GroupKey.GROUPED, id));
		}
		if (moves) {
			script.set(GroupKey.SCHEDULED, id, GroupKey.REDRIVEN);
		}
		// A run that stopped half-way has moved a message that does not move; it holds
		// its own slot.
		boolean joins = script.has(GroupKey.MESSAGES, id) && !slotFirst;
		if (joins && !this.scope.has(GroupMutation.REDRIVE_TAKES_NO_SLOT)) {
			script.addMember(GroupKey.GROUPS, id, script.get(GroupKey.GROUPED, id));
		}
		return script.remove(GroupKey.FAILURES, id).remove(GroupKey.DEAD, id).answers(Answer.MOVED);
	}

	/** DEAD -> removed. */
	GroupScript discard(State state, int id) {
		GroupScript script = this.scope.script(Transition.DISCARD, state);
		if (script.has(GroupKey.ENTRIES, id) || script.has(GroupKey.SCHEDULED, id)) {
			return script.answers(Answer.NONE);
		}
		script.tombstone(id).removeRecord(id, true);
		this.slots.forget(script, id, false);
		return script.remove(GroupKey.FAILURES, id).remove(GroupKey.DEAD, id).answers(Answer.MOVED);
	}

	/** Removes keys that must not exist and restores keys that must. */
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
		Location location = GroupScope.location(script.state(), id);
		boolean under = location == Location.READY || location == Location.PENDING;
		boolean scheduled = script.has(GroupKey.SCHEDULED, id);
		boolean dead = script.has(GroupKey.DEAD, id);
		boolean parked = script.hasMember(GroupKey.PARKED, id);
		boolean twice = parked && (entry != 0 || scheduled);
		int due = script.get(GroupKey.DUE, id);
		boolean nowhere = !under && !scheduled && !dead && (!parked || twice);
		boolean early = !under && scheduled && due > GroupWorld.now(script.state())
				&& script.get(GroupKey.SCHEDULED, id) < due;
		if (nowhere || early) {
			script.set(GroupKey.SCHEDULED, id, due);
		}
		boolean redriven = dead && !under && (scheduled || parked);
		if (redriven) {
			script.remove(GroupKey.FAILURES, id);
		}
		if ((!dead || redriven) && !script.hasMember(GroupKey.GROUPS, id)) {
			script.addMember(GroupKey.GROUPS, id, grouped);
		}
		if (twice) {
			script.removeMember(GroupKey.PARKED, id, grouped);
		}
		if (location == Location.READY) {
			script.remove(GroupKey.SCHEDULED, id);
		}
		if (location == Location.READY || redriven) {
			script.remove(GroupKey.DEAD, id);
		}
		if (entry != 0 && !under) {
			script.remove(GroupKey.ENTRIES, id).deleteEntry(id, entry);
		}
	}

	private void clear(GroupScript script, int id) {
		int entry = script.get(GroupKey.ENTRIES, id);
		this.slots.forget(script, id, false);
		script.remove(GroupKey.SCHEDULED, id).remove(GroupKey.DEAD, id).remove(GroupKey.ENTRIES, id);
		if (entry != 0) {
			script.deleteEntry(id, entry);
		}
		// Last: failures mark for the next schedule of the id that leftovers exist.
		script.remove(GroupKey.FAILURES, id);
	}

	/**
	 * Members with another due time than the one of the id, or of an id that is gone.
	 */
	private void leftOvers(GroupScript script, GroupKey key, int id) {
		for (Member member : script.members(key)) {
			boolean right = script.has(GroupKey.MESSAGES, id) && script.get(GroupKey.GROUPED, id) == member.due();
			if (member.id() == id && !right) {
				script.removeMember(key, id, member.due());
			}
		}
	}

	/** Whether the message is ready, pending, or waiting for a retry. */
	private boolean mayBeActive(GroupScript script, int id) {
		if (this.scope.has(GroupMutation.REPAIR_LEAVES_SCHEDULED_SLOT)) {
			return script.has(GroupKey.MESSAGES, id)
					&& (script.has(GroupKey.ENTRIES, id) || script.has(GroupKey.SCHEDULED, id));
		}
		boolean waitsForItsDueTime = script.get(GroupKey.SCHEDULED, id) > GroupWorld.now(script.state())
				&& !script.has(GroupKey.FAILURES, id);
		return script.has(GroupKey.MESSAGES, id)
				&& (script.has(GroupKey.ENTRIES, id) || script.has(GroupKey.SCHEDULED, id) && !waitsForItsDueTime);
	}

}
