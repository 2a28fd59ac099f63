package io.delayqueue.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The Lua scripts, one file for each atomic transition. A script names its keys in the
 * statement that unpacks {@code KEYS}: its variables have the names of {@link Key}. The
 * folder {@code part/} contains Lua code that several scripts share; a line
 * {@code -- include} inserts it into a script.
 *
 * @see Layouts
 */
@SuppressWarnings("ImmutableEnumChecker") // a script is read once and never changes
enum StoreScript {

	/**
	 * Schedules messages: (none) to SCHEDULED. On request, replaces a message with the
	 * same id.
	 */
	SCHEDULE,

	/**
	 * Schedules messages with generated ids, without group and expiry: (none) to
	 * SCHEDULED.
	 */
	SCHEDULE_NEW,

	/** Closes a partition: new messages belong in a newer epoch of the queue. */
	CLOSE,

	/**
	 * Copies the switches (such as pause) and the holds of a queue to a partition of a
	 * new epoch.
	 */
	LAY_OUT,

	/** Counts the messages that still need a partition of an older epoch. */
	REMAINING,

	/** Removes the keys of a partition that has ended, but for the key control. */
	END_PARTITION,

	/** Reads dead letters that a process moves to a newer epoch. */
	CARRY_OUT,

	/** Stores dead letters that a process moves from an older epoch: (none) to DEAD. */
	CARRY_IN,

	/**
	 * Removes dead letters from an older epoch after a newer epoch has stored them: DEAD
	 * to (none).
	 */
	CARRIED,

	/** Registers queues with the partition counts of their first epochs. */
	REGISTER,

	/** Reads what the first partitions of many queues store about the queues' epochs. */
	FIND_EPOCHS,

	/** Stores the changed epochs (partition counts) of a queue. */
	CHANGE_EPOCHS,

	/**
	 * Sweeps a partition: SCHEDULED to READY or PARKED, PARKED back to SCHEDULED. Then
	 * delivers messages to a consumer: READY to PENDING.
	 */
	SWEEP,

	/**
	 * Grants rate tokens and permits for messages in flight to a consumer of a queue with
	 * limits.
	 */
	GRANT,

	/** Delivers messages to a consumer: READY to PENDING. */
	READ,

	/** Removes messages that were handled: PENDING to (none). */
	ACKNOWLEDGE,

	/**
	 * Releases, retries, defers or dead-letters messages that were not handled: PENDING
	 * to SCHEDULED or DEAD.
	 */
	SETTLE,

	/**
	 * Takes messages back from consumers that stopped renewing their leases: PENDING to
	 * SCHEDULED or DEAD.
	 */
	RECLAIM,

	/** Renews the leases of all pending messages of a partition. */
	RENEW_ALL_LEASES,

	/** Removes consumers that hold no messages. */
	REMOVE_CONSUMERS,

	/** Schedules dead letters again: DEAD to SCHEDULED. */
	REDRIVE,

	/** Removes dead letters on request: DEAD to (none). */
	DISCARD,

	/** Removes many messages in any state, dead letters only on request. */
	PURGE,

	/** Pauses, resumes, drains, reopens or limits a partition. */
	CONTROL,

	/**
	 * Holds a partition or a group: scripts deliver none of its messages until a time.
	 */
	HOLD,

	/** Ends the hold of a group, or all holds of a partition. */
	END_HOLDS,

	/** Lists the holds of a partition. */
	LIST_HOLDS,

	/** Removes one message in any state. */
	CANCEL,

	/** Moves a message to a new due time: SCHEDULED, PARKED or READY to SCHEDULED. */
	RESCHEDULE,

	/** Finds one message; if it has ended, finds in the history how it has ended. */
	FIND,

	/** Counts records, messages in each state and stream entries, to find damage. */
	AUDIT,

	/** Lists ids of messages in no state, in several states or in a wrong state. */
	FIND_MISPLACED,

	/**
	 * Moves messages in no state, in several states or in a wrong state to the right
	 * state.
	 */
	REPAIR,

	/** Stores a definition of a recurring schedule with its first occurrence. */
	PUT_RECURRING,

	/** Stores occurrences of recurring schedules, and reads definitions that are due. */
	ADVANCE_RECURRING,

	/** Pauses, resumes, suspends, continues or removes a recurring schedule. */
	CHANGE_RECURRING,

	/** Finds a recurring schedule. */
	FIND_RECURRING,

	/** Lists recurring schedules. */
	RECURRING_PAGE,

	/** Repairs recurring schedules that have no next instant: makes them due at once. */
	MEND_RECURRING,

	/** Reads a recurring schedule that a process moves to a newer epoch. */
	CARRY_RECURRING,

	/** Stores a recurring schedule that a process moves from an older epoch. */
	RECEIVE_RECURRING,

	/** Counts the messages of a partition by state. */
	SNAPSHOT,

	/** Checks which of many partitions need a sweep. */
	PEEK_PARTITIONS,

	/** Lists scheduled or dead messages. */
	PAGE,

	/** Lists ready or pending messages. */
	READY_PAGE,

	/** Lists the messages of a group, or the parked messages of a partition. */
	GROUP_PAGE,

	/** Lists how messages have ended. */
	HISTORY_PAGE,

	/**
	 * Removes from the history the messages that ended too long ago, and the oldest
	 * messages if there are too many.
	 */
	TRIM_HISTORY,

	/** Adds what a process has counted to the trend of a queue. */
	ADD_TREND,

	/** Finds the trend of a queue. */
	FIND_TREND,

	/** Removes the full token buckets of groups, which have no effect. */
	TRIM_RATES,

	/** Lists the consumers of a partition and how many messages each holds. */
	CONSUMERS,

	/** Keeps a process in the list of members (processes that consume queues). */
	REFRESH_MEMBER,

	/** Publishes a hint over the server of a partition. */
	SEND_HINT,

	/** Lists the rights in Redis that the connected user lacks. */
	RIGHTS;

	private final List<Key> keys;

	private final boolean checksLayout;

	@SuppressWarnings("rawtypes")
	private final RedisScript<List> script;

	StoreScript() {
		String text = read(fileName());
		this.keys = keysOf(text);
		this.checksLayout = text.contains("-- include layout\n");
		this.script = RedisScript.of(
				Pattern.compile("-- include (\\w+)\n")
					.matcher(text)
					.replaceAll((include) -> Matcher.quoteReplacement(read("part/" + include.group(1) + ".lua"))),
				List.class);
	}

	private static List<Key> keysOf(String text) {
		Matcher names = Pattern.compile("local ([\\w,\\s]+) = unpack\\(KEYS\\)").matcher(text);
		names.find();
		return Pattern.compile(",\\s*")
			.splitAsStream(names.group(1))
			.map((name) -> Key.valueOf(name.toUpperCase(Locale.ROOT)))
			.toList();
	}

	private static String read(String file) {
		try {
			return new ClassPathResource(file, StoreScript.class).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String fileName() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".lua";
	}

	List<Key> keys() {
		return this.keys;
	}

	/**
	 * Whether the script refuses partitions whose keys have the layout of another version
	 * of the library.
	 */
	boolean checksLayout() {
		return this.checksLayout;
	}

	@SuppressWarnings("rawtypes")
	RedisScript<List> script() {
		return this.script;
	}

}
