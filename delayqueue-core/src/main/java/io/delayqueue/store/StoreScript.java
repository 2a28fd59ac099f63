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
 * The Lua scripts, one file per atomic transition, with the declared keys in their order.
 * Shared Lua lives in {@code part/} and is inlined by {@code -- include}.
 *
 * @see Layouts
 */
@SuppressWarnings("ImmutableEnumChecker") // a script is read once and never changes
enum StoreScript {

	/** (none) to SCHEDULED; on request replaces the message with the same id. */
	SCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** (none) to SCHEDULED; for generated ids without group and expiry. */
	SCHEDULE_NEW(Key.MESSAGES, Key.SCHEDULED, Key.DONE, Key.CONTROL),

	/** Closes a partition: new ids belong in a newer epoch of the queue. */
	CLOSE(Key.CONTROL),

	/** Gives a partition of a new epoch the switches and holds of the queue. */
	LAY_OUT(Key.CONTROL, Key.HOLDS),

	/** Counts what keeps a partition of an older epoch from ending. */
	REMAINING(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.DEAD, Key.DONE, Key.GROUPS, Key.PARKED, Key.CONTROL,
			Key.HISTORY, Key.RECURRING),

	/** Reads dead letters that a process carries to a newer epoch. */
	CARRY_OUT(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPED, Key.PARKED, Key.CONTROL),

	/** (none) to DEAD, for a dead letter that was carried from an older epoch. */
	CARRY_IN(Key.MESSAGES, Key.FAILURES, Key.DEAD, Key.DONE, Key.GROUPED, Key.GROUPS, Key.CONTROL),

	/** Removes dead letters that a newer epoch has: DEAD to (none). */
	CARRIED(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** Stores the changed epochs (partition counts) of a queue. */
	CHANGE_EPOCHS(Key.EPOCHS),

	/**
	 * SCHEDULED to READY or PARKED, PARKED back to SCHEDULED; then READY to PENDING.
	 */
	SWEEP(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DONE, Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL,
			Key.MESSAGES, Key.FAILURES, Key.EXPIRIES, Key.RATES, Key.THROTTLED, Key.HOLDS),

	/** Grants tokens and permits of a queue. */
	GRANT(Key.BUDGET, Key.PERMITS),

	/** READY to PENDING. */
	READ(Key.MESSAGES, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.CONTROL, Key.HOLDS, Key.GROUPED),

	/** PENDING to (none), finished. */
	ACKNOWLEDGE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** PENDING to SCHEDULED, without counting a failure. */
	RELEASE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** PENDING to SCHEDULED, with a failure or a defer counted. */
	RETRY(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** PENDING to SCHEDULED or DEAD, because the consumer stopped renewing its leases. */
	RECLAIM(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** Renews the leases of all pending messages. */
	RENEW_ALL_LEASES(Key.READY, Key.CONTROL),

	/** Removes consumers that hold no messages. */
	REMOVE_CONSUMERS(Key.READY, Key.CONTROL),

	/** PENDING to DEAD. */
	DEAD_LETTER(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** DEAD to SCHEDULED. */
	REDRIVE(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.CONTROL),

	/** DEAD to (none). */
	DISCARD(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** Any state to (none), for many messages; for dead letters only on request. */
	PURGE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** Pauses, resumes, drains, reopens or limits a partition. */
	CONTROL(Key.CONTROL),

	/** Holds a partition or a group: delivers nothing of it until a time. */
	HOLD(Key.CONTROL, Key.HOLDS),

	/** Ends the hold of a group, or all holds of a partition. */
	END_HOLDS(Key.CONTROL, Key.HOLDS, Key.THROTTLED),

	/** Lists the holds of a partition. */
	LIST_HOLDS(Key.HOLDS),

	/** Any state to (none), for one message. */
	CANCEL(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.HISTORY, Key.ENDS),

	/** SCHEDULED, PARKED or READY to SCHEDULED. */
	RESCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** Finds one message, or its last end in the history. */
	FIND(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPED, Key.PARKED,
			Key.CONTROL, Key.HISTORY, Key.ENDS),

	/** Counts records, states and stream entries, which must agree. */
	AUDIT(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.PARKED, Key.CONTROL),

	/** Lists ids whose location contradicts their record. */
	FIND_MISPLACED(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** Moves a misplaced id to its one correct state. */
	REPAIR(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED),

	/** Stores a definition of a recurring schedule with its first occurrence. */
	PUT_RECURRING(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.RECURRING,
			Key.RECURRENCES),

	/** Stores occurrences of recurring schedules, and reads definitions that are due. */
	ADVANCE_RECURRING(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE,
			Key.EXPIRIES, Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.RECURRING,
			Key.RECURRENCES),

	/** Pauses, resumes, suspends, continues or removes a recurring schedule. */
	CHANGE_RECURRING(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE,
			Key.EXPIRIES, Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL, Key.THROTTLED, Key.RECURRING,
			Key.RECURRENCES),

	/** Finds a recurring schedule. */
	FIND_RECURRING(Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Lists recurring schedules. */
	RECURRING_PAGE(Key.RECURRING, Key.RECURRENCES),

	/** Makes recurring schedules due at once that have no next instant. */
	MEND_RECURRING(Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Reads a recurring schedule that a process carries to a newer epoch. */
	CARRY_RECURRING(Key.MESSAGES, Key.DEAD, Key.DONE, Key.GROUPS, Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Stores a recurring schedule that was carried from an older epoch. */
	RECEIVE_RECURRING(Key.MESSAGES, Key.DONE, Key.GROUPS, Key.CONTROL, Key.RECURRING, Key.RECURRENCES),

	/** Counts the messages of a partition by state. */
	SNAPSHOT(Key.SCHEDULED, Key.READY, Key.DEAD, Key.PARKED, Key.CONTROL, Key.HOLDS, Key.RECURRENCES),

	/** Checks which of many partitions need a sweep. */
	PEEK_PARTITIONS(Key.SCHEDULED, Key.READY, Key.DONE, Key.PARKED, Key.CONTROL),

	/** Lists scheduled or dead messages. */
	PAGE(Key.SCHEDULED, Key.FAILURES, Key.DEAD),

	/** Lists ready or pending messages. */
	READY_PAGE(Key.READY, Key.ENTRIES, Key.FAILURES),

	/** Lists the messages of a group, or parked messages. */
	GROUP_PAGE(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPS, Key.PARKED),

	/** Lists how messages have ended. */
	HISTORY_PAGE(Key.HISTORY),

	/** Removes ends from the history that are too old or too many. */
	TRIM_HISTORY(Key.HISTORY, Key.ENDS, Key.CONTROL),

	/** Lists the consumers of a partition and how many messages each holds. */
	CONSUMERS(Key.READY),

	/** Keeps a process in the list of members. */
	REFRESH_MEMBER(Key.MEMBERS, Key.MEMBERSHIPS, Key.CONSUMPTIONS, Key.EPOCHS),

	/** Lists the rights that the connected user lacks. */
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

	/** Whether the script refuses partitions that another version has laid out. */
	boolean checksLayout() {
		return this.checksLayout;
	}

	@SuppressWarnings("rawtypes")
	RedisScript<List> script() {
		return this.script;
	}

}
