package io.delayqueue.model;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.model.GroupScope.Setting;
import io.delayqueue.model.GroupScript.Member;

/** The scripts of producers: schedule with its policies, and reschedule. */
final class GroupScheduling {

	private final GroupScope scope;

	private final GroupSlots slots;

	GroupScheduling(GroupScope scope) {
		this.scope = scope;
		this.slots = new GroupSlots(scope);
	}

	/**
	 * Schedule, replace and postpone.
	 * @param state the state before the script
	 * @param call the call
	 * @param again whether it is a repeat
	 * @return the run
	 */
	GroupScript schedule(State state, GroupCall call, boolean again) {
		GroupScript script = this.scope.script(call.transition(), state);
		int id = call.id();
		boolean stored = script.has(GroupKey.MESSAGES, id);
		if (stored && script.get(GroupKey.MESSAGES, id) == call.label()) {
			return createdBefore(script, call);
		}
		if (GroupWorld.TOMBSTONES.has(state, call.labels())) {
			return script.answers(stored ? Answer.SUPERSEDED : Answer.ENDED);
		}
		Location location = GroupScope.location(state, id);
		boolean died = location == Location.DEAD && !script.has(GroupKey.ENTRIES, id);
		if (stored && (call.transition() == Transition.SCHEDULE || died && call.transition() == Transition.POSTPONE)) {
			return script.answers(died ? Answer.DEAD : Answer.DUPLICATE);
		}
		boolean counted = !again || !this.scope.has(GroupMutation.CLIENT_COUNTS);
		boolean hasSlot = stored && script.hasMember(GroupKey.GROUPS, id);
		Capacity capacity = (hasSlot || !counted) ? Capacity.ENOUGH : capacity(script, id, stored);
		if (!capacity.found()) {
			int living = this.scope.living(state);
			return script.answers(Answer.FULL)
				.breaksIf(GroupWorld.STOPS.of(state) == 0 && living < this.scope.quota(), Property.G5);
		}
		if (this.scope.has(GroupMutation.DROP_BEFORE_RECORD)) {
			capacity.dropped().forEach((oldest) -> drop(script, oldest, false));
		}
		if (stored) {
			overwrite(script, call, location);
		}
		else {
			create(script, call);
		}
		capacity.dropped().forEach((oldest) -> drop(script, oldest, oldest.id() != id));
		return script;
	}

	/** (none) -> SCHEDULED; the record is the commit. */
	private void create(GroupScript script, GroupCall call) {
		int id = call.id();
		boolean cleared = !this.scope.has(GroupMutation.SCHEDULE_KEEPS_STALE_MEMBERS);
		// Leftovers of a script that stopped half-way.
		int entry = script.get(GroupKey.ENTRIES, id);
		if (entry != 0) {
			script.remove(GroupKey.ENTRIES, id).deleteEntry(id, entry);
		}
		script.remove(GroupKey.DEAD, id);
		if (cleared) {
			this.slots.forget(script, id, false);
		}
		script.remove(GroupKey.FAILURES, id);
		script.set(GroupKey.SCHEDULED, id, call.due());
		if (this.scope.has(GroupMutation.RECORD_BEFORE_GROUP)) {
			script.record(id, call.label(), call.due());
		}
		script.set(GroupKey.GROUPED, id, call.due())
			.addMember(GroupKey.GROUPS, id, call.due())
			.record(id, call.label(), call.due())
			.answers(Answer.CREATED);
	}

	/**
	 * SCHEDULED, PARKED, READY, PENDING, DEAD -> SCHEDULED: another message, the same id.
	 */
	private void overwrite(GroupScript script, GroupCall call, Location location) {
		int id = call.id();
		boolean postponed = call.transition() == Transition.POSTPONE;
		boolean pending = location == Location.PENDING;
		int entry = script.get(GroupKey.ENTRIES, id);
		int before = script.get(GroupKey.DUE, id);
		int due = (postponed && !pending) ? Math.max(before, call.due()) : call.due();
		Member from = new Member(id, before);
		Member to = new Member(id, due);
		boolean stays = postponed && location == Location.READY && due <= GroupWorld.now(script.state())
				&& !isPassed(script, from, to);
		script.breaksIf(stays && this.scope.has(Setting.STRICT) && overtakes(script.state(), from, to), Property.G7);
		boolean keepsEntry = pending && this.scope.has(GroupMutation.REPLACE_KEEPS_ENTRY);
		boolean later = due >= script.get(GroupKey.SCHEDULED, id);
		boolean wasNext = GroupSweep.isDue(script.state(), id);
		boolean groupFirst = this.scope.has(GroupMutation.REPLACE_WRITES_GROUP_FIRST);
		script.tombstone(id).remove(GroupKey.FAILURES, id);
		if (groupFirst) {
			this.slots.move(script, id, due);
		}
		if (later && !stays) {
			script.set(GroupKey.SCHEDULED, id, due);
		}
		this.slots.move(script, id, due);
		if (!stays) {
			if (!keepsEntry) {
				script.remove(GroupKey.ENTRIES, id);
			}
			if (location == Location.READY) {
				script.ready(id, script.ready(id).delete(entry));
			}
			script.remove(GroupKey.DEAD, id);
		}
		if (!stays || this.scope.has(GroupMutation.POSTPONED_READY_FREES_SLOT)) {
			this.slots.free(script, id, wasNext);
		}
		script.record(id, call.label(), due);
		if (!later) {
			script.set(GroupKey.SCHEDULED, id, due);
		}
		script.answers(postponed ? Answer.POSTPONED : Answer.REPLACED);
	}

	/** Whether the new due time puts a message behind other messages of the group. */
	private boolean isPassed(GroupScript script, Member from, Member to) {
		return !this.scope.has(GroupMutation.POSTPONED_READY_KEEPS_ITS_TURN)
				&& script.members(GroupKey.GROUPS).stream().anyMatch((member) -> isBetween(from, member, to));
	}

	private static boolean isBetween(Member from, Member member, Member to) {
		return GroupSweep.isOlder(from, member) && GroupSweep.isOlder(member, to);
	}

	/**
	 * Whether a message that keeps its turn overtakes another message that is now due
	 * before it.
	 */
	private boolean overtakes(State state, Member from, Member to) {
		for (int other = 0; other < this.scope.ids(); other++) {
			if (isBetween(from, new Member(other, GroupKey.GROUPED.of(state, other)), to)
					&& GroupSweep.isUnfinished(state, other)) {
				return true;
			}
		}
		return false;
	}

	/** The record is of this same call; the writes after it may be missing. */
	private GroupScript createdBefore(GroupScript script, GroupCall call) {
		int id = call.id();
		int due = script.get(GroupKey.DUE, id);
		boolean replaced = call.transition() != Transition.SCHEDULE;
		boolean untouched = !script.has(GroupKey.ENTRIES, id) && !script.has(GroupKey.FAILURES, id);
		if (replaced && untouched && script.get(GroupKey.SCHEDULED, id) > due) {
			script.set(GroupKey.SCHEDULED, id, due);
		}
		return script.answers(Answer.CREATED);
	}

	/**
	 * Whether the group has a free slot, if necessary after dropping its oldest message.
	 */
	private Capacity capacity(GroupScript script, int id, boolean stored) {
		boolean itself = this.scope.has(GroupMutation.OLDEST_MAY_BE_ITSELF);
		// A leftover of the new message's id is cleared anyway.
		int left = (!stored && !itself && script.hasMember(GroupKey.GROUPS, id)) ? 1 : 0;
		int free = this.scope.quota() - script.count(GroupKey.GROUPS) + left;
		if (this.scope.quota() == 0 || free > 0) {
			return Capacity.ENOUGH;
		}
		// Two at most: a group above its quota comes down to it.
		List<Member> dropped = this.scope.has(Setting.DROP_OLDEST)
				? droppable(script, id).limit((free < 0) ? 2 : 1).toList() : List.of();
		return new Capacity(!dropped.isEmpty(), dropped);
	}

	/**
	 * The messages of the group that no consumer has or is about to get, oldest first.
	 */
	private Stream<Member> droppable(GroupScript script, int id) {
		boolean anyOne = this.scope.has(GroupMutation.DROP_TAKES_ACTIVE);
		boolean itself = this.scope.has(GroupMutation.OLDEST_MAY_BE_ITSELF);
		Set<Integer> taken = new HashSet<>();
		return script.members(GroupKey.GROUPS)
			.stream()
			.filter((member) -> itself || member.id() != id)
			.filter((member) -> !script.has(GroupKey.DEAD, member.id()))
			.filter((member) -> anyOne
					|| !script.has(GroupKey.ENTRIES, member.id()) && !script.has(GroupKey.ACTIVE, member.id()))
			.filter((member) -> taken.add(member.id()));
	}

	private void drop(GroupScript script, Member oldest, boolean onRequest) {
		int id = oldest.id();
		boolean held = GroupScope.isUnderWay(script.state(), id);
		boolean wasNext = GroupSweep.isDue(script.state(), id);
		script.breaksIf(held, Property.G6)
			.tombstone(id)
			.set(GroupKey.FAILURES, id, 1)
			.removeRecord(id, onRequest)
			.remove(GroupKey.SCHEDULED, id)
			.removeMember(GroupKey.PARKED, id, oldest.due())
			.removeMember(GroupKey.GROUPS, id, oldest.due())
			.remove(GroupKey.GROUPED, id);
		if (wasNext) {
			this.slots.unpark(script, 1);
		}
		script.remove(GroupKey.FAILURES, id);
	}

	/** SCHEDULED, READY, PARKED -> SCHEDULED: the same message. */
	GroupScript reschedule(State state, GroupCall call) {
		GroupScript script = this.scope.script(Transition.RESCHEDULE, state);
		int id = call.id();
		if (call.remembered()) {
			return script.answers(Answer.RESCHEDULED);
		}
		if (!script.has(GroupKey.MESSAGES, id)) {
			return script.answers(Answer.NONE);
		}
		Location location = GroupScope.location(state, id);
		if (location == Location.PENDING) {
			return script.answers(Answer.IN_FLIGHT);
		}
		if (location == Location.DEAD) {
			return script.answers(Answer.DEAD);
		}
		int entry = script.get(GroupKey.ENTRIES, id);
		boolean later = call.due() >= script.get(GroupKey.SCHEDULED, id);
		boolean wasNext = GroupSweep.isDue(state, id);
		if (later) {
			script.set(GroupKey.SCHEDULED, id, call.due());
		}
		script.remove(GroupKey.ENTRIES, id).remove(GroupKey.DEAD, id);
		this.slots.move(script, id, call.due());
		this.slots.free(script, id, wasNext);
		script.record(id, script.get(GroupKey.MESSAGES, id), call.due());
		if (!later) {
			script.set(GroupKey.SCHEDULED, id, call.due());
		}
		if (entry != 0) {
			script.ready(id, script.ready(id).delete(entry));
		}
		if (GroupCall.isOpen(state) && GroupCall.open(state).equals(call)) {
			script.remember(call);
		}
		return script.answers(Answer.RESCHEDULED);
	}

	/**
	 * The free capacity for a new message.
	 *
	 * @param found whether there is a free slot
	 * @param dropped the messages that are dropped for it
	 */
	private record Capacity(boolean found, List<Member> dropped) {

		static final Capacity ENOUGH = new Capacity(true, List.of());

	}

}
