package io.delayqueue.store;

import java.util.Locale;

/**
 * The keys of a partition and the shared ones, each with its Redis type. A message exists
 * if and only if it has a record in {@link #MESSAGES}.
 */
enum Key {

	/** id to record. */
	MESSAGES("hash"),

	/** id by due time, ms; retries wait here too. */
	SCHEDULED("zset"),

	/** Entries of due ids; one consumer group. */
	READY("stream"),

	/** id to its current stream entry, from the sweep until the settlement: the fence. */
	ENTRIES("hash"),

	/** id to failures, crashes, last settled entry and last reason. */
	FAILURES("hash"),

	/** id by time of death, ms. */
	DEAD("zset"),

	/** Finished ids, and tombstones of calls, by the end of their window, ms. */
	DONE("zset"),

	/** id by expiry, ms; only messages that have one. */
	EXPIRIES("zset"),

	/** id to due time and group; only messages that have a group with limits. */
	GROUPED("hash"),

	/** Group, due time and id: count, oldest and range of a group. */
	GROUPS("zset"),

	/** Group and id of ready and pending messages of groups with limits. */
	ACTIVE("zset"),

	/** Group, due time and id of due messages that wait because their group is full. */
	PARKED("zset"),

	/** Layout version, visibility timeout, paused and draining since. */
	CONTROL("hash"),

	/** Processes that consume queues by the time until when they are listed, ms. */
	MEMBERS("zset", true),

	/** Member to its begin and the name of its consumption; the version of the list. */
	MEMBERSHIPS("hash", true),

	/** Name of a consumption to the queues and their partition counts. */
	CONSUMPTIONS("hash", true);

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
