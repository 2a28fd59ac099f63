package io.delayqueue.model;

import io.delayqueue.model.GroupScript.Member;

/** Shared by the scripts: how a slot is freed, and which message receives it. */
final class GroupSlots {

	private final GroupScope scope;

	GroupSlots(GroupScope scope) {
		this.scope = scope;
	}

	/** PARKED -> SCHEDULED: the first parked messages. */
	void unpark(GroupScript script, int count) {
		script.members(GroupKey.PARKED).stream().limit(count).forEach((member) -> unpark(script, member));
	}

	private void unpark(GroupScript script, Member member) {
		int id = member.id();
		// Anything else is a leftover of a script that stopped half-way.
		boolean waits = script.get(GroupKey.GROUPED, id) == member.due()
				&& (!script.has(GroupKey.ENTRIES, id) || this.scope.has(GroupMutation.UNPARK_IGNORES_ENTRIES));
		if (this.scope.has(GroupMutation.UNPARK_REMOVES_FIRST)) {
			script.removeMember(GroupKey.PARKED, id, member.due());
		}
		if (waits) {
			script.breaksIf(GroupScope.isUnderWay(script.state(), id), Property.P4);
			script.set(GroupKey.SCHEDULED, id, member.due());
		}
		script.removeMember(GroupKey.PARKED, id, member.due());
	}

	/**
	 * Frees the slot of an id among the ready and pending messages.
	 * @param script the running script
	 * @param id the id
	 * @param wasNext whether the id may have been unparked for a free slot
	 */
	void free(GroupScript script, int id, boolean wasNext) {
		boolean active = script.has(GroupKey.ACTIVE, id);
		script.remove(GroupKey.ACTIVE, id);
		if (active || wasNext) {
			unpark(script, 1);
		}
	}

	/**
	 * Moves an id to the member of its new due time; the due time beside the group is
	 * last.
	 */
	void move(GroupScript script, int id, int due) {
		int wasDue = script.get(GroupKey.GROUPED, id);
		script.addMember(GroupKey.GROUPS, id, due).removeMember(GroupKey.PARKED, id, wasDue);
		if (due != wasDue) {
			script.removeMember(GroupKey.GROUPS, id, wasDue).set(GroupKey.GROUPED, id, due);
		}
	}

	/**
	 * Removes an id from all keys of its group.
	 * @param script the running script
	 * @param id the id
	 * @param due the due time beside the name of the group, 0 if the id has no group
	 * @param counts whether it holds its slot of the quota
	 * @param wasNext whether the id may have been unparked for a free slot
	 */
	void leave(GroupScript script, int id, int due, boolean counts, boolean wasNext) {
		if (due == 0) {
			return;
		}
		if (!counts) {
			script.removeMember(GroupKey.GROUPS, id, due);
		}
		script.removeMember(GroupKey.PARKED, id, due);
		if (!this.scope.has(GroupMutation.SETTLEMENT_KEEPS_SLOT)) {
			free(script, id, wasNext);
		}
	}

	/** Leaves the group and removes the name of the group. */
	void forget(GroupScript script, int id, boolean wasNext) {
		leave(script, id, script.get(GroupKey.GROUPED, id), false, wasNext);
		script.remove(GroupKey.GROUPED, id);
	}

}
