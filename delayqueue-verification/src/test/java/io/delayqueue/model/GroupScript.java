package io.delayqueue.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One run of a script on the keys of a group. The run reads the state after its own
 * writes, and keeps every intermediate state, because it may stop in any of them.
 */
final class GroupScript {

	private final Transition transition;

	private final GroupScope scope;

	private final State before;

	/** The states after each write. */
	private final List<State> states = new ArrayList<>(0);

	private final List<String> writes = new ArrayList<>(0);

	private Answer answer = Answer.NONE;

	private @Nullable Property broken;

	private State state;

	GroupScript(Transition transition, GroupScope scope, State before) {
		this.transition = transition;
		this.scope = scope;
		this.before = before;
		this.state = before;
	}

	// Reads

	State state() {
		return this.state;
	}

	int get(GroupKey key, int id) {
		return key.of(this.state, id);
	}

	boolean has(GroupKey key, int id) {
		return get(key, id) != 0;
	}

	ReadyStream ready(int id) {
		return new ReadyStream(get(GroupKey.READY, id));
	}

	/** Whether the current entry of an id is pending. */
	boolean isPending(int id) {
		int entry = get(GroupKey.ENTRIES, id);
		return entry != 0 && ready(id).pending(entry);
	}

	/** Whether a key has the member of an id with its due time beside the group. */
	boolean hasMember(GroupKey key, int id) {
		return (get(key, id) & GroupKey.setOf(get(GroupKey.GROUPED, id))) != 0;
	}

	/** All members of a key, by due time and then by id. */
	List<Member> members(GroupKey key) {
		List<Member> members = new ArrayList<>();
		for (int due = 1; due <= 2; due++) {
			for (int id = 0; id < this.scope.ids(); id++) {
				if ((get(key, id) & GroupKey.setOf(due)) != 0) {
					members.add(new Member(id, due));
				}
			}
		}
		return members;
	}

	int count(GroupKey key) {
		int count = 0;
		for (int id = 0; id < this.scope.ids(); id++) {
			count += Integer.bitCount(get(key, id));
		}
		return count;
	}

	// Writes

	/** Sets the value of an id in a key; 0 removes it. */
	GroupScript set(GroupKey key, int id, int value) {
		return wrote(key.set(this.state, id, value), key.words(id));
	}

	GroupScript remove(GroupKey key, int id) {
		return set(key, id, 0);
	}

	/** Sets the values of several ids of one key in one command. */
	GroupScript set(GroupKey key, List<Integer> ids, int value) {
		State after = this.state;
		for (int id : ids) {
			after = key.set(after, id, value);
		}
		return wrote(after, key.words());
	}

	GroupScript addMember(GroupKey key, int id, int due) {
		return set(key, id, get(key, id) | GroupKey.setOf(due));
	}

	GroupScript removeMember(GroupKey key, int id, int due) {
		return set(key, id, get(key, id) & ~GroupKey.setOf(due));
	}

	/** Creates a record, or overwrites the existing one. */
	GroupScript record(int id, int label, int due) {
		State after = this.state;
		int before = get(GroupKey.MESSAGES, id);
		if (before != label) {
			after = GroupWorld.ENDED.plus(after, State.setOf(before));
		}
		return wrote(GroupKey.DUE.set(GroupKey.MESSAGES.set(after, id, label), id, due), GroupKey.MESSAGES.words(id));
	}

	/**
	 * Removes a record.
	 * @param id the id
	 * @param onRequest whether the removal was requested
	 * @return this
	 */
	GroupScript removeRecord(int id, boolean onRequest) {
		State after = GroupKey.DUE.set(GroupKey.MESSAGES.set(this.state, id, 0), id, 0);
		if (onRequest) {
			after = GroupWorld.ENDED.plus(after, State.setOf(get(GroupKey.MESSAGES, id)));
		}
		return wrote(after, GroupKey.MESSAGES.words(id));
	}

	GroupScript tombstone(int id) {
		int label = get(GroupKey.MESSAGES, id);
		return wrote(GroupWorld.TOMBSTONES.plus(this.state, State.setOf(label)), "done");
	}

	GroupScript ready(int id, ReadyStream ready) {
		return set(GroupKey.READY, id, ready.slots());
	}

	/** XDEL, then XACK. */
	GroupScript deleteEntry(int id, int entry) {
		return ready(id, ready(id).delete(entry)).ready(id, ready(id).acknowledge(entry));
	}

	GroupScript remember(GroupCall call) {
		return wrote(call.remember().keepOpen(this.state), "done (memory)");
	}

	/** Several writes in one command. */
	void together(Runnable writes) {
		int before = this.states.size();
		writes.run();
		if (this.states.size() > before + 1) {
			this.states.subList(before, this.states.size() - 1).clear();
			this.writes.subList(before, this.writes.size() - 1).clear();
		}
	}

	private GroupScript wrote(State after, String words) {
		if (!after.equals(this.state)) {
			this.state = after;
			this.states.add(after);
			this.writes.add(words);
		}
		return this;
	}

	/** Records that a decision of this run breaks a property. */
	GroupScript breaksIf(boolean broken, Property property) {
		this.broken = broken ? property : this.broken;
		return this;
	}

	GroupScript answers(Answer answer) {
		this.answer = answer;
		return this;
	}

	// Results

	Transition transition() {
		return this.transition;
	}

	Answer answer() {
		return this.answer;
	}

	@Nullable Property broken() {
		return this.broken;
	}

	boolean changesNothing() {
		return this.states.isEmpty();
	}

	/** Number of writes. */
	int size() {
		return this.writes.size();
	}

	/** The state after a number of writes. */
	State after(int writes) {
		return (writes == 0) ? this.before : this.states.get(writes - 1);
	}

	/** A write of the run, by its number from 1. */
	String write(int number) {
		return this.writes.get(number - 1);
	}

	/**
	 * A member of groups or parked.
	 *
	 * @param id its id
	 * @param due the due time in it
	 */
	record Member(int id, int due) {

		static final Comparator<Member> IN_ORDER = Comparator.comparingInt(Member::due).thenComparingInt(Member::id);

	}

}
