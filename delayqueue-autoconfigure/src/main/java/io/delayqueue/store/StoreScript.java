package io.delayqueue.store;

import java.util.List;
import java.util.Locale;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * One Lua file per atomic transition, with the keys it declares in their order.
 */
@SuppressWarnings("ImmutableEnumChecker") // a script is read once and never changes
enum StoreScript {

	/** (none) to SCHEDULED. */
	SCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE, Key.CONTROL),

	/** Settles the partition count of a queue. */
	CLAIM(Key.MESSAGES, Key.READY, Key.CONTROL),

	/** SCHEDULED to READY. */
	SWEEP(Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DONE, Key.CONTROL),

	/** Creates the consumer group. */
	GROUP(Key.READY),

	/** Tells which deliveries are current. */
	FENCE(Key.ENTRIES, Key.FAILURES, Key.CONTROL),

	/** PENDING to (none), finished. */
	ACKNOWLEDGE(Key.MESSAGES, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DONE),

	/** PENDING to SCHEDULED, without blame. */
	RELEASE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES),

	/** PENDING to SCHEDULED, with a failure or a defer counted. */
	RETRY(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES),

	/** PENDING to SCHEDULED or DEAD, because the consumer has fallen silent. */
	RECLAIM(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.CONTROL),

	/** New leases for all that is pending. */
	RESTAMP(Key.READY),

	/** Removes consumers that hold nothing. */
	LEAVE(Key.READY),

	/** PENDING to DEAD. */
	DEAD_LETTER(Key.MESSAGES, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD),

	/** DEAD to SCHEDULED. */
	REDRIVE(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD),

	/** DEAD to (none). */
	DISCARD(Key.MESSAGES, Key.SCHEDULED, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE),

	/** Anywhere to (none), many at once; dead letters only if asked. */
	PURGE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE),

	/** Pauses, resumes, drains, reopens. */
	STEER(Key.CONTROL),

	/** Anywhere to (none), on request. */
	CANCEL(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE),

	/** SCHEDULED or READY to SCHEDULED. */
	RESCHEDULE(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD, Key.DONE),

	/** Looks at one message. */
	FIND(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD),

	/** Counts what must add up. */
	AUDIT(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.DEAD),

	/** Lists ids that do not stand where they must. */
	STRAYS(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE),

	/** Whatever an id has come to, to the one place that it must have. */
	REPAIR(Key.MESSAGES, Key.SCHEDULED, Key.READY, Key.ENTRIES, Key.FAILURES, Key.DEAD, Key.DONE),

	/** Counts. */
	SNAPSHOT(Key.SCHEDULED, Key.READY, Key.DEAD, Key.CONTROL),

	/** Lists what is scheduled or dead. */
	PAGE(Key.SCHEDULED, Key.FAILURES, Key.DEAD),

	/** Lists what is ready or pending. */
	READY_PAGE(Key.READY, Key.ENTRIES, Key.FAILURES),

	/** Tells what each consumer holds. */
	CONSUMERS(Key.READY),

	/** Tells which rights are missing. */
	RIGHTS(Key.MESSAGES);

	private final List<Key> keys;

	@SuppressWarnings("rawtypes")
	private final RedisScript<List> script;

	StoreScript(Key... keys) {
		this.keys = List.of(keys);
		this.script = RedisScript.of(new ClassPathResource(fileName(), StoreScript.class), List.class);
	}

	String fileName() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-') + ".lua";
	}

	List<Key> keys() {
		return this.keys;
	}

	@SuppressWarnings("rawtypes")
	RedisScript<List> script() {
		return this.script;
	}

}
