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
 * One Lua file per atomic transition, with the keys it declares in their order. What
 * several of them do stands in files of its own, which a comment {@code -- include} puts
 * in.
 *
 * @see Layouts
 */
@SuppressWarnings("ImmutableEnumChecker") // a script is read once and never changes
enum StoreScript {

	/** (none) to SCHEDULED; where its id is known and it says so, the place of that. */
	SCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** (none) to SCHEDULED; for made ids without group and expiry. */
	SCHEDULE_NEW(Key.MESSAGES, Key.SCHEDULED, Key.DONE, Key.CONTROL),

	/** Settles the partition count of a queue. */
	CLAIM_PARTITION_COUNT(Key.MESSAGES, Key.READY, Key.CONTROL),

	/** SCHEDULED to READY, or to PARKED and back. */
	SWEEP(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DONE, Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED,
			Key.CONTROL),

	/** READY to PENDING. */
	READ(Key.MESSAGES, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.CONTROL),

	/** PENDING to (none), finished. */
	ACKNOWLEDGE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** PENDING to SCHEDULED, without blame. */
	RELEASE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** PENDING to SCHEDULED, with a failure or a defer counted. */
	RETRY(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.EXPIRIES, Key.GROUPED, Key.GROUPS,
			Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** PENDING to SCHEDULED or DEAD, because the consumer has fallen silent. */
	RECLAIM(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** New leases for all that is pending. */
	RENEW_ALL_LEASES(Key.READY, Key.CONTROL),

	/** Removes consumers that hold nothing. */
	REMOVE_CONSUMERS(Key.READY, Key.CONTROL),

	/** PENDING to DEAD. */
	DEAD_LETTER(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** DEAD to SCHEDULED. */
	REDRIVE(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.CONTROL),

	/** DEAD to (none). */
	DISCARD(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** Anywhere to (none), many at once; dead letters only if asked. */
	PURGE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** Pauses, resumes, drains, reopens. */
	CONTROL(Key.CONTROL),

	/** Anywhere to (none), on request. */
	CANCEL(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** SCHEDULED, PARKED or READY to SCHEDULED. */
	RESCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.DONE, Key.EXPIRIES, Key.GROUPED,
			Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** Looks at one message. */
	FIND(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPED, Key.PARKED),

	/** Counts what must add up. */
	AUDIT(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.PARKED, Key.CONTROL),

	/** Lists ids that do not stand where they must. */
	FIND_MISPLACED(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** Whatever an id has come to, to the one place that it must have. */
	REPAIR(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.EXPIRIES,
			Key.GROUPED, Key.GROUPS, Key.ACTIVE, Key.PARKED, Key.CONTROL),

	/** Counts. */
	SNAPSHOT(Key.SCHEDULED, Key.READY, Key.DEAD, Key.PARKED, Key.CONTROL),

	/** Tells whether there is anything to do, of many partitions at once. */
	PEEK_PARTITIONS(Key.SCHEDULED, Key.READY, Key.DONE, Key.PARKED, Key.CONTROL),

	/** Lists what is scheduled or dead. */
	PAGE(Key.SCHEDULED, Key.FAILURES, Key.DEAD),

	/** Lists what is ready or pending. */
	READY_PAGE(Key.READY, Key.ENTRIES, Key.FAILURES),

	/** Lists what a group has, or what is parked. */
	GROUP_PAGE(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.GROUPS, Key.PARKED),

	/** Tells what each consumer holds. */
	CONSUMERS(Key.READY),

	/** Tells which rights are missing. */
	RIGHTS(Key.MESSAGES);

	private final List<Key> keys;

	private final boolean looksAtLayout;

	@SuppressWarnings("rawtypes")
	private final RedisScript<List> script;

	StoreScript(Key... keys) {
		this.keys = List.of(keys);
		String text = read(fileName());
		this.looksAtLayout = text.contains("-- include layout\n");
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

	/** Whether it refuses a partition of another layout. */
	boolean looksAtLayout() {
		return this.looksAtLayout;
	}

	@SuppressWarnings("rawtypes")
	RedisScript<List> script() {
		return this.script;
	}

}
