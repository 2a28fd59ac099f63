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
 * The Lua scripts, one file for each atomic transition, with the keys that each script
 * declares, in their order. The folder {@code part/} contains Lua code that several
 * scripts share; a line {@code -- include} inserts it into a script.
 *
 * @see Layouts
 */
@SuppressWarnings("ImmutableEnumChecker") // a script is read once and never changes
enum StoreScript {

	/**
	 * Schedules messages: (none) to SCHEDULED. On request, replaces a message with the
	 * same id.
	 */
	SCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/**
	 * Schedules messages with generated ids, without group and expiry: (none) to
	 * SCHEDULED.
	 */
	SCHEDULE_NEW(Key.MESSAGES, Key.SCHEDULED, Key.DONE, Key.CONTROL),

	/** Closes a partition: new messages belong in a newer epoch of the queue. */
	CLOSE(Key.CONTROL),

	/**
	 * Copies the switches (such as pause) and the holds of a queue to a partition of a
	 * new epoch.
	 */
	LAY_OUT(Key.CONTROL, Key.HOLDS),

	/** Counts the messages that still need a partition of an older epoch. */
	REMAINING(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.DEAD, Key.DONE, Key.GROUPS, Key.PARKED, Key.CONTROL,
			Key.HISTORY, Key.RECURRING),

	/** Reads dead letters that a process moves to a newer epoch. */
	CARRY_OUT(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPED, Key.PARKED, Key.CONTROL),

	/** Stores dead letters that a process moves from an older epoch: (none) to DEAD. */
	CARRY_IN(Key.MESSAGES, Key.FAILURES, Key.DEAD, Key.DONE, Key.GROUPED, Key.GROUPS, Key.CONTROL),

	/**
	 * Removes dead letters from an older epoch after a newer epoch has stored them: DEAD
	 * to (none).
	 */
	CARRIED(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** Stores the changed epochs (partition counts) of a queue. */
	CHANGE_EPOCHS(Key.EPOCHS),

	/**
	 * Sweeps a partition: SCHEDULED to READY or PARKED, PARKED back to SCHEDULED. Then
	 * delivers messages to a consumer: READY to PENDING.
	 */
	SWEEP(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DONE, Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL,
			Key.MESSAGES, Key.FAILURES, Key.EXPIRIES, Key.RATES, Key.THROTTLED, Key.HOLDS),

	/**
	 * Grants rate tokens and permits for messages in flight to a consumer of a queue with
	 * limits.
	 */
	GRANT(Key.BUDGET, Key.PERMITS),

	/** Delivers messages to a consumer: READY to PENDING. */
	READ(Key.MESSAGES, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.CONTROL, Key.HOLDS, Key.GROUPED),

	/** Removes messages that were handled: PENDING to (none). */
	ACKNOWLEDGE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/**
	 * Schedules delivered messages again if no handler has started them, without counting
	 * a failure: PENDING to SCHEDULED.
	 */
	RELEASE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/**
	 * Schedules a message again after its handler has failed or has deferred the message:
	 * PENDING to SCHEDULED.
	 */
	RETRY(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/**
	 * Takes messages back from consumers that stopped renewing their leases: PENDING to
	 * SCHEDULED or DEAD.
	 */
	RECLAIM(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** Renews the leases of all pending messages of a partition. */
	RENEW_ALL_LEASES(Key.READY, Key.CONTROL),

	/** Removes consumers that hold no messages. */
	REMOVE_CONSUMERS(Key.READY, Key.CONTROL),

	/** Dead-letters a message: PENDING to DEAD. */
	DEAD_LETTER(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** Schedules dead letters again: DEAD to SCHEDULED. */
	REDRIVE(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.CONTROL),

	/** Removes dead letters on request: DEAD to (none). */
	DISCARD(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** Removes many messages in any state, dead letters only on request. */
	PURGE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS,
			Key.RECURRING),

	/** Pauses, resumes, drains, reopens or limits a partition. */
	CONTROL(Key.CONTROL),

	/**
	 * Holds a partition or a group: scripts deliver none of its messages until a time.
	 */
	HOLD(Key.CONTROL, Key.HOLDS),

	/** Ends the hold of a group, or all holds of a partition. */
	END_HOLDS(Key.CONTROL, Key.HOLDS, Key.THROTTLED),

	/** Lists the holds of a partition. */
	LIST_HOLDS(Key.HOLDS),

	/** Removes one message in any state. */
	CANCEL(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** Moves a message to a new due time: SCHEDULED, PARKED or READY to SCHEDULED. */
	RESCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** Finds one message; if it has ended, finds in the history how it has ended. */
	FIND(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPED, Key.GROUPS,
			Key.PARKED, Key.CONTROL, Key.HISTORY, Key.ENDS),

	/** Counts records, messages in each state and stream entries, to find damage. */
	AUDIT(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.PARKED, Key.CONTROL),

	/** Lists ids of messages in no state, in several states or in a wrong state. */
	FIND_MISPLACED(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/**
	 * Moves messages in no state, in several states or in a wrong state to the right
	 * state.
	 */
	REPAIR(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** Stores a definition of a recurring schedule with its first occurrence. */
	PUT_RECURRING(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.RECURRING,
			Key.RECURRENCES),

	/** Stores occurrences of recurring schedules, and reads definitions that are due. */
	ADVANCE_RECURRING(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE,
			Key.EXPIRIES, Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.RECURRING,
			Key.RECURRENCES, Key.HOLDS),

	/** Pauses, resumes, suspends, continues or removes a recurring schedule. */
	CHANGE_RECURRING(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE,
			Key.EXPIRIES, Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.RECURRING,
			Key.RECURRENCES),

	/** Finds a recurring schedule. */
	FIND_RECURRING(Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Lists recurring schedules. */
	RECURRING_PAGE(Key.RECURRING, Key.RECURRENCES),

	/** Repairs recurring schedules that have no next instant: makes them due at once. */
	MEND_RECURRING(Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Reads a recurring schedule that a process moves to a newer epoch. */
	CARRY_RECURRING(Key.MESSAGES, Key.DEAD, Key.DONE, Key.GROUPS, Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Stores a recurring schedule that a process moves from an older epoch. */
	RECEIVE_RECURRING(Key.MESSAGES, Key.DONE, Key.GROUPS, Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Counts the messages of a partition by state. */
	SNAPSHOT(Key.SCHEDULED, Key.READY, Key.DEAD, Key.PARKED, Key.CONTROL, Key.HOLDS, Key.RECURRENCES, Key.RECURRING),

	/** Checks which of many partitions need a sweep. */
	PEEK_PARTITIONS(Key.SCHEDULED, Key.READY, Key.DONE, Key.PARKED, Key.CONTROL),

	/** Lists scheduled or dead messages. */
	PAGE(Key.SCHEDULED, Key.FAILURES, Key.DEAD),

	/** Lists ready or pending messages. */
	READY_PAGE(Key.READY, Key.ENTRIES, Key.FAILURES),

	/** Lists the messages of a group, or the parked messages of a partition. */
	GROUP_PAGE(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPS, Key.PARKED),

	/** Lists how messages have ended. */
	HISTORY_PAGE(Key.HISTORY),

	/**
	 * Removes from the history the messages that ended too long ago, and the oldest
	 * messages if there are too many.
	 */
	TRIM_HISTORY(Key.HISTORY, Key.ENDS, Key.CONTROL),

	/** Lists the consumers of a partition and how many messages each holds. */
	CONSUMERS(Key.READY),

	/** Keeps a process in the list of members (processes that consume queues). */
	REFRESH_MEMBER(Key.MEMBERS, Key.MEMBERSHIPS, Key.CONSUMPTIONS, Key.EPOCHS),

	/** Publishes a hint over the server of a partition. */
	SEND_HINT(Key.CONTROL),

	/** Lists the rights in Redis that the connected user lacks. */
	RIGHTS(Key.MESSAGES);

	private final List<Key> keys;

	private final boolean checksLayout;

	@SuppressWarnings("rawtypes")
	private final RedisScript<List> script;

	StoreScript(Key... keys) {
		this.keys = List.of(keys);
		String text = read(fileName());
		this.checksLayout = text.contains("-- include layout\n");
		this.script = RedisScript.of(
				Pattern.compile("-- include (\\w+)\n")
					.matcher(text)
					.replaceAll((include) -> Matcher.quoteReplacement(read("part/" + include.group(1) + ".lua"))),
				List.class);
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
