package io.delayqueue.model;

import io.delayqueue.model.GroupScript.Member;

/** What the scripts share: how a place is freed, and who gets it. */
final class GroupPlaces {

	private final GroupScope scope;

	GroupPlaces(GroupScope scope) {
		this.scope = scope;
	}

	/** PARKED -> SCHEDULED: the first that are parked. */
	void unpark(GroupScript script, int places) {
		script.members(GroupKey.PARKED).stream().limit(places).forEach((member) -> unpark(script, member));
	}

	private void unpark(GroupScript script, Member member) {
		int id = member.id();
		// Anything else is what a script that stopped half-way has left.
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
	 * Frees the place of an id among those that are ready or pending.
	 * @param script what runs
	 * @param id the id
	 * @param wasNext whether it may have been brought back for a place that is free
	 */
	void free(GroupScript script, int id, boolean wasNext) {
		boolean active = script.has(GroupKey.ACTIVE, id);
		script.remove(GroupKey.ACTIVE, id);
		if (active || wasNext) {
			unpark(script, 1);
		}
	}

	/**
	 * Gives an id the member of its new due time; the due time beside the group is last.
	 */
	void move(GroupScript script, int id, int due) {
		int wasDue = script.get(GroupKey.GROUPED, id);
		script.addMember(GroupKey.GROUPS, id, due).removeMember(GroupKey.PARKED, id, wasDue);
		if (due != wasDue) {
			script.removeMember(GroupKey.GROUPS, id, wasDue).set(GroupKey.GROUPED, id, due);
		}
	}

	/**
	 * Takes an id out of all that its group has of it.
	 * @param script what runs
	 * @param id the id
	 * @param due the due time beside the name of the group, 0 if the id has no group
	 * @param counts whether it holds its place in the quota
	 * @param wasNext whether it may have been brought back for a place that is free
	 */
	void leave(GroupScript script, int id, int due, boolean counts, boolean wasNext) {
		if (due == 0) {
			return;
		}
		if (!counts) {
			script.removeMember(GroupKey.GROUPS, id, due);
		}
		script.removeMember(GroupKey.PARKED, id, due);
		if (!this.scope.has(GroupMutation.SETTLEMENT_KEEPS_PLACE)) {
			free(script, id, wasNext);
		}
	}

	/** Leaves the group, and forgets which it was. */
	void forget(GroupScript script, int id, boolean wasNext) {
		leave(script, id, script.get(GroupKey.GROUPED, id), false, wasNext);
		script.remove(GroupKey.GROUPED, id);
	}

}
