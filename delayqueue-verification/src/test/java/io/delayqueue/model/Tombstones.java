package io.delayqueue.model;

/**
 * The entry in {@code done} for a call whose message was handled, cancelled or replaced:
 * only a repeat of that same call finds it. The window of a tombstone is longer than the
 * repeats of its call.
 */
final class Tombstones {

	private static final int ALL_CALLS = 7;

	private final boolean byId;

	Tombstones(Scope scope) {
		this.byId = scope.has(Mutation.TOMBSTONE_BY_ID);
	}

	/** The calls that need a tombstone when this record is removed. */
	int of(Message message) {
		return this.byId ? ALL_CALLS : State.setOf(message.token());
	}

	boolean meets(Call call, boolean again, State state) {
		return state.has(Field.TOMBSTONES, call.versions()) && (again || !this.byId);
	}

}
