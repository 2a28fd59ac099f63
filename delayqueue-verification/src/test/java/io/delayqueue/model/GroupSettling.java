package io.delayqueue.model;

import io.delayqueue.model.GroupScope.Setting;

/**
 * The scripts that end a delivery: acknowledge, retry, dead-letter, release, reclaim.
 */
final class GroupSettling {

	private final GroupScope scope;

	private final GroupSlots slots;

	GroupSettling(GroupScope scope) {
		this.scope = scope;
		this.slots = new GroupSlots(scope);
	}

	/** PENDING -> removed; removing the record is the commit. */
	GroupScript acknowledge(State state, int id, int entry) {
		GroupScript script = this.scope.script(Transition.ACKNOWLEDGE, state);
		if (counts(script, id, entry)) {
			script.tombstone(id).removeRecord(id, false).remove(GroupKey.FAILURES, id);
			this.slots.forget(script, id, false);
			return ended(script, id, entry);
		}
		return withoutEffect(script, id, entry);
	}

	/** PENDING -> SCHEDULED, after a back-off. */
	GroupScript retry(State state, int id, int entry) {
		GroupScript script = this.scope.script(Transition.RETRY, state);
		if (counts(script, id, entry)) {
			script.set(GroupKey.FAILURES, id, 1).set(GroupKey.SCHEDULED, id, GroupKey.RETRIED);
			if (retryFrees()) {
				this.slots.free(script, id, false);
			}
			return ended(script, id, entry);
		}
		return withoutEffect(script, id, entry);
	}

	private boolean retryFrees() {
		boolean strict = this.scope.has(Setting.STRICT);
		return strict ? this.scope.has(GroupMutation.STRICT_RETRY_FREES_SLOT)
				: !this.scope.has(GroupMutation.RETRY_KEEPS_SLOT);
	}

	/** PENDING -> DEAD. */
	GroupScript deadLetter(State state, int id, int entry) {
		GroupScript script = this.scope.script(Transition.DEAD_LETTER, state);
		if (counts(script, id, entry)) {
			script.set(GroupKey.DEAD, id, 1).set(GroupKey.FAILURES, id, 1);
			leave(script, id);
			return ended(script, id, entry);
		}
		return withoutEffect(script, id, entry);
	}

	/** PENDING -> SCHEDULED, without counting a failure. */
	GroupScript release(State state, int id, int entry) {
		GroupScript script = this.scope.script(Transition.RELEASE, state);
		if (counts(script, id, entry)) {
			script.set(GroupKey.SCHEDULED, id, GroupWorld.now(state));
			return ended(script, id, entry);
		}
		return withoutEffect(script, id, entry);
	}

	/**
	 * PENDING -> SCHEDULED, or at the crash limit -> DEAD: the visibility timeout has
	 * passed.
	 * @param state the state before the script
	 * @param id the id
	 * @param entry the entry
	 * @param last whether the crash limit is reached
	 * @return the run
	 */
	GroupScript reclaim(State state, int id, int entry, boolean last) {
		GroupScript script = this.scope.script(Transition.RECLAIM, state);
		if (!script.ready(id).inStream(entry)) {
			return script.ready(id, script.ready(id).acknowledge(entry)).answers(Answer.GONE);
		}
		if (!counts(script, id, entry)) {
			return withoutEffect(script, id, entry);
		}
		int score = script.get(GroupKey.SCHEDULED, id);
		// An earlier run that stopped half-way has scheduled the message.
		boolean scheduled = score != 0 && score <= GroupWorld.now(state);
		boolean died = script.has(GroupKey.DEAD, id);
		if (last ? died || !scheduled : died && !scheduled) {
			script.set(GroupKey.DEAD, id, 1).remove(GroupKey.SCHEDULED, id).set(GroupKey.FAILURES, id, 1);
			leave(script, id);
		}
		else if (!scheduled) {
			script.set(GroupKey.SCHEDULED, id, GroupWorld.now(state)).set(GroupKey.FAILURES, id, 1);
		}
		return ended(script, id, entry);
	}

	private void leave(GroupScript script, int id) {
		boolean counts = this.scope.has(Setting.COUNT_DEAD) || this.scope.has(GroupMutation.DEAD_KEEPS_SLOT);
		this.slots.leave(script, id, script.get(GroupKey.GROUPED, id), counts, false);
	}

	private boolean counts(GroupScript script, int id, int entry) {
		return script.has(GroupKey.MESSAGES, id) && script.get(GroupKey.ENTRIES, id) == entry;
	}

	private static GroupScript ended(GroupScript script, int id, int entry) {
		return script.remove(GroupKey.ENTRIES, id).deleteEntry(id, entry).answers(Answer.SETTLED);
	}

	private GroupScript withoutEffect(GroupScript script, int id, int entry) {
		boolean gone = !script.has(GroupKey.MESSAGES, id);
		if (script.get(GroupKey.ENTRIES, id) == entry) {
			script.remove(GroupKey.FAILURES, id);
			this.slots.forget(script, id, false);
			script.remove(GroupKey.ENTRIES, id);
		}
		else if (this.scope.has(GroupMutation.SUPERSEDED_FREES_SLOT)) {
			this.slots.free(script, id, false);
		}
		return script.deleteEntry(id, entry).answers(gone ? Answer.GONE : Answer.SUPERSEDED);
	}

}
