package io.delayqueue.store;

import java.util.Locale;

/**
 * The keys of a partition and the shared ones, each with its Redis type. A message exists
 * if and only if it has a record in {@link #MESSAGES}.
 */
enum Key {

	/** A message's id to its record. */
	MESSAGES("hash"),

	/** The ids of scheduled messages by due time, ms, retries included. */
	SCHEDULED("zset"),

	/** Entries with the ids of due messages, and one consumer group. */
	READY("stream"),

	/** The fence: the id of a ready or pending message to its current entry. */
	ENTRIES("hash"),

	/** A message's id to failures, crashes, last settled entry and last reason. */
	FAILURES("hash"),

	/** The ids of dead letters by the time of their death, ms. */
	DEAD("zset"),

	/** Finished ids, and tombstones of calls, by the end of their window, ms. */
	DONE("zset"),

	/** The ids of messages with an expiry, by that expiry, ms. */
	EXPIRIES("zset"),

	/** The id of a message of a group with limits to its due time and group. */
	GROUPED("hash"),

	/** Group, due time and id of messages, to count and list a group. */
	GROUPS("zset"),

	/** Group and id of ready and pending messages of groups with limits. */
	ACTIVE("zset"),

	/** Group, due time and id of due messages that wait because their group is full. */
	PARKED("zset"),

	/** Groups whose rate was used, by the time at which their bucket is full, us. */
	RATES("zset"),

	/** Groups without tokens, by the time from which parked messages may go on, ms. */
	THROTTLED("zset"),

	/** The tokens and permits in flight of the whole queue, by reader. */
	BUDGET("hash"),

	/** Readers of the whole queue by the end of the lease of their permits, ms. */
	PERMITS("zset"),

	/**
	 * Group to the end of its hold, by whom and why; the empty group for all messages.
	 */
	HOLDS("hash"),

	/** How messages have ended: id, how, attempts, where, last failure. */
	HISTORY("stream"),

	/** A message's id to its last entry in the history. */
	ENDS("hash"),

	/** The key of a recurring schedule to its definition. */
	RECURRING("hash"),

	/** Keys of recurring schedules by the instant at which they advance, ms. */
	RECURRENCES("zset"),

	/** Layout version, visibility timeout, and the times of a pause or a drain. */
	CONTROL("hash"),

	/** Processes that consume queues by the time until when they are listed, ms. */
	MEMBERS("zset", true),

	/** Member to its begin and the name of its consumption; the version of the list. */
	MEMBERSHIPS("hash", true),

	/** Name of a consumption to the queues and their partition counts. */
	CONSUMPTIONS("hash", true),

	/** Member to what it declares; recurring schedules of each declaration. */
	DECLARATIONS("hash", true),

	/** Queue to its epochs, once its partition count has changed; their version. */
	EPOCHS("hash", true);

	private final String type;

	private final boolean shared;

	Key(String type) {
		this(type, false);
	}

	Key(String type, boolean shared) {
		this.type = type;
		this.shared = shared;
	}

	/** Whether it is one key for all partitions. */
	boolean isShared() {
		return this.shared;
	}

	/** The name at the end of the key in Redis, and in the scripts. */
	String suffix() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** The type as Redis's TYPE returns it. */
	String type() {
		return this.type;
	}

}
