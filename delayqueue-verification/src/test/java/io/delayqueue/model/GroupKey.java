package io.delayqueue.model;

import org.jspecify.annotations.Nullable;

/**
 * The content of Redis for one id of the group: a few bits of a {@link State} for each
 * id.
 */
enum GroupKey {

	/** The record: the label of the call that made it, 0 for none. */
	MESSAGES("messages", null, 3),

	/** The due time in the record. */
	DUE("messages", MESSAGES, 2),

	/** The score: 1, 2, or the end of a wait. */
	SCHEDULED("scheduled", DUE, 3),

	/** The due time stored beside the name of the group. */
	GROUPED("grouped", SCHEDULED, 2),

	/** The members of the id in the group, as a set of due times. */
	GROUPS("groups", GROUPED, 2),

	/** The members of the id among the parked ones, as a set of due times. */
	PARKED("parked", GROUPS, 2),

	/** Whether the id holds a slot of the limit, as ready or pending. */
	ACTIVE("active", PARKED, 1),

	/** Whether the id is a dead letter. */
	DEAD("dead", ACTIVE, 1),

	/** Whether counters of failed deliveries or a mark exist. */
	FAILURES("failures", DEAD, 1),

	/** The fence: the current entry of the id. */
	ENTRIES("entries", FAILURES, 3),

	/** The entries of the id, as in a {@link ReadyStream}. */
	READY("ready", ENTRIES, 4 * GroupKey.MAX_ENTRIES);

	/** The score of a retry: after its back-off. */
	static final int RETRIED = 3;

	/** The score of a redrive: after its wait. */
	static final int REDRIVEN = 4;

	/** The most entries of one id. */
	static final int MAX_ENTRIES = 4;

	/** The most ids of a state. */
	static final int MAX_IDS = 3;

	private final String words;

	private final String[] wordsOf = new String[MAX_IDS];

	private final Bits[] bits = new Bits[MAX_IDS];

	GroupKey(String words, @Nullable GroupKey after, int width) {
		this.words = words;
		for (int id = 0; id < MAX_IDS; id++) {
			this.wordsOf[id] = words + " of " + name(id);
			this.bits[id] = (after != null) ? after.bits[id].next(width) : Bits.first(id, width);
		}
	}

	int of(State state, int id) {
		return this.bits[id].of(state);
	}

	State set(State state, int id, int value) {
		return this.bits[id].set(state, value);
	}

	/** The last bits that one id has. */
	static Bits last(int id) {
		return READY.bits[id];
	}

	/** A set with one due time, empty for 0. */
	static int setOf(int due) {
		return State.setOf(due);
	}

	String words() {
		return this.words;
	}

	/** The key, and one id in it. */
	String words(int id) {
		return this.wordsOf[id];
	}

	/** The display name of an id. */
	static String name(int id) {
		return "abc".substring(id, id + 1);
	}

}
