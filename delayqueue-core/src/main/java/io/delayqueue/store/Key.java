package io.delayqueue.store;

import java.util.Locale;

/**
 * The Redis keys of a partition, and those that all partitions share, with their types. A
 * message exists if and only if it has a record in {@link #MESSAGES}.
 */
enum Key {

	/** The id of a message -> its record. */
	MESSAGES("hash"),

	/** The ids of scheduled messages by due time, ms, retries included. */
	SCHEDULED("zset"),

	/** The ids of ready and pending messages, read through one consumer group. */
	READY("stream"),

	/**
	 * The id of a ready or pending message -> its current stream entry. Only a settlement
	 * for this entry counts (the fence).
	 */
	ENTRIES("hash"),

	/**
	 * The id of a message -> its numbers of failures, crashes and defers, its last
	 * settled entry and its last reason.
	 */
	FAILURES("hash"),

	/** The ids of dead letters by the time of their death, ms. */
	DEAD("zset"),

	/**
	 * Ids of finished messages, and results of calls to Redis, by the time until which
	 * they are kept, ms.
	 */
	DONE("zset"),

	/** The ids of messages with an expiry, by that expiry, ms. */
	EXPIRIES("zset"),

	/** The id of a message of a group -> its due time and group. */
	GROUPED("hash"),

	/**
	 * Group, due time and id of each message that counts against the quota of its group;
	 * group and id of each dead letter with a group.
	 */
	GROUPS("zset"),

	/**
	 * Group and id of each message that uses a slot of its group: each ready or pending
	 * message, and a retried message for which its group waits.
	 */
	ACTIVE("zset"),

	/**
	 * Group, due time and id of due messages that wait because their group is at its
	 * limit or held.
	 */
	PARKED("zset"),

	/**
	 * Groups with a rate limit, by the time at which their bucket of tokens is full
	 * again, us.
	 */
	RATES("zset"),

	/**
	 * Groups without tokens and held groups, by the time from which sweeps unpark their
	 * messages, ms.
	 */
	THROTTLED("zset"),

	/**
	 * The rate tokens of the whole queue, and the messages in flight of each of its
	 * readers (consumers).
	 */
	BUDGET("hash"),

	/**
	 * The readers (consumers) of the whole queue, by the time at which their permits for
	 * messages in flight end, ms.
	 */
	PERMITS("zset"),

	/**
	 * Group -> the end, the origin and the reason of its hold; the empty group stands for
	 * all messages.
	 */
	HOLDS("hash"),

	/**
	 * How each message has ended: its id, group and attempts, how and where it ended, and
	 * its last failure.
	 */
	HISTORY("stream"),

	/** The id of an ended message -> its last entry in the key {@code history}. */
	ENDS("hash"),

	/**
	 * Of the first partition of a queue: what all processes have counted, in buckets of
	 * the last hour, day and week; the numbers of their last calls.
	 */
	TRENDS("hash"),

	/** The key of a recurring schedule -> its definition. */
	RECURRING("hash"),

	/**
	 * The keys of recurring schedules, by the instant at which the partition's owner
	 * stores their next occurrence, ms.
	 */
	RECURRENCES("zset"),

	/** Layout, pause, drain, visibility timeout and other settings of the partition. */
	CONTROL("hash"),

	/**
	 * The members (processes that consume queues), by the time until which the list keeps
	 * them, ms.
	 */
	MEMBERS("zset", true),

	/**
	 * Member -> since when the list has it, and the name of the set of queues that the
	 * member consumes.
	 */
	MEMBERSHIPS("hash", true),

	/** Name of a set of consumed queues -> the queues and their partition counts. */
	CONSUMPTIONS("hash", true),

	/**
	 * Member -> the names of its declaration and of its application; {@code =} and the
	 * name of a declaration -> the declared recurring schedules.
	 */
	DECLARATIONS("hash", true),

	/** Queue -> the partition count of its first epoch. */
	QUEUES("hash", true),

	/**
	 * Queue -> its epochs, once its partition count has changed; {@code recurring:} and a
	 * queue -> a mark, if the queue may have recurring schedules; field with an empty
	 * name -> version of this hash, which each change raises.
	 */
	EPOCHS("hash", true);

	private final String suffix = name().toLowerCase(Locale.ROOT);

	private final String type;

	private final boolean shared;

	Key(String type) {
		this(type, false);
	}

	Key(String type, boolean shared) {
		this.type = type;
		this.shared = shared;
	}

	/** Whether all partitions share this key. */
	boolean isShared() {
		return this.shared;
	}

	/**
	 * Returns the name of the key in the scripts. The name of the key in Redis ends with
	 * it.
	 */
	String suffix() {
		return this.suffix;
	}

	/** Returns the type of the key, as the Redis command TYPE names it. */
	String type() {
		return this.type;
	}

}
