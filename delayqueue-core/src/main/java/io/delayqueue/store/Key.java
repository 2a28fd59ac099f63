package io.delayqueue.store;

import java.util.Locale;

/**
 * The keys of a partition, and the keys that all partitions share, each with its Redis
 * type. A message exists if and only if it has a record in {@link #MESSAGES}.
 */
enum Key {

	/** The id of a message -> its record. */
	MESSAGES("hash"),

	/** The ids of scheduled messages by due time, ms, retries included. */
	SCHEDULED("zset"),

	/** The ids of ready and pending messages, read through one consumer group. */
	READY("stream"),

	/** The fence: the id of a ready or pending message -> its current stream entry. */
	ENTRIES("hash"),

	/** The id of a message -> failures, crashes, last settled entry and last reason. */
	FAILURES("hash"),

	/** The ids of dead letters by the time of their death, ms. */
	DEAD("zset"),

	/** Finished ids and answers of calls, by the time until which they are kept, ms. */
	DONE("zset"),

	/** The ids of messages with an expiry, by that expiry, ms. */
	EXPIRIES("zset"),

	/** The id of a message of a group -> its due time and group. */
	GROUPED("hash"),

	/** Group, due time and id of messages, to count and list those of a group. */
	GROUPS("zset"),

	/** Group and id of ready and pending messages, to limit how many a group has. */
	ACTIVE("zset"),

	/** Group, due time and id of due messages that wait because their group is full. */
	PARKED("zset"),

	/**
	 * Groups with a rate limit, by the time at which their bucket of tokens is full
	 * again, us.
	 */
	RATES("zset"),

	/** Groups without tokens, by the time from which sweeps unpark their messages, ms. */
	THROTTLED("zset"),

	/** The tokens and permits in flight of the whole queue, by reader (consumer). */
	BUDGET("hash"),

	/**
	 * Readers of the whole queue (consumers), by the time at which their permits end, ms.
	 */
	PERMITS("zset"),

	/**
	 * Group -> the end, the origin and the reason of its hold; the empty group stands for
	 * all messages.
	 */
	HOLDS("hash"),

	/** How each message has ended: id, group, how, attempts, where, last failure. */
	HISTORY("stream"),

	/** The id of a message -> its last entry in the history. */
	ENDS("hash"),

	/** The key of a recurring schedule -> its definition. */
	RECURRING("hash"),

	/**
	 * The keys of recurring schedules by the instant at which the owner advances them,
	 * ms.
	 */
	RECURRENCES("zset"),

	/** Layout, pause, drain, visibility timeout and other settings of the partition. */
	CONTROL("hash"),

	/** Processes that consume queues, by the time until which they are listed, ms. */
	MEMBERS("zset", true),

	/**
	 * Member -> since when it is listed, and a name for the queues that it consumes.
	 */
	MEMBERSHIPS("hash", true),

	/** Name for consumed queues -> the queues and their partition counts. */
	CONSUMPTIONS("hash", true),

	/**
	 * Member -> the name of its declaration; name of a declaration -> the declared
	 * recurring schedules.
	 */
	DECLARATIONS("hash", true),

	/**
	 * Queue -> its epochs, once its partition count has changed; the version of all
	 * epochs.
	 */
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

	/** Whether the key belongs to no partition. */
	boolean isShared() {
		return this.shared;
	}

	/** Returns the name of the key in the scripts, with which its name in Redis ends. */
	String suffix() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** Returns the type of the key, as the command TYPE does. */
	String type() {
		return this.type;
	}

}
