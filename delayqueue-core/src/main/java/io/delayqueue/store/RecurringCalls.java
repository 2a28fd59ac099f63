package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.record.RecurringRecord;
import org.jspecify.annotations.Nullable;

/**
 * Stores, stops, finds and carries definitions of recurring schedules. Each method runs
 * one atomic script, is safe to repeat, and throws a {@code StoreException}.
 */
public final class RecurringCalls {

	static final String INFINITE = "+inf";

	/** A removed definition is remembered for longer than carrying one ever takes. */
	static final Duration WINDOW = Duration.ofMinutes(10);

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public RecurringCalls(RedisCalls calls) {
		this.calls = calls;
	}

	/** The outcome of a change, named as in the scripts. */
	public enum Changed {

		/** The definition is stored, and its key is new. */
		CREATED,

		/** The definition replaced another one with its key. */
		REPLACED,

		/** The same definition was stored already. */
		UNCHANGED,

		/** Nothing was stored: the partition is draining. */
		DRAINING,

		/** Nothing was stored: the first instant of the definition has passed. */
		LATE,

		/** Nothing was stored: the definition with this key must be advanced first. */
		DUE,

		/** The change was made, or had been made before. */
		DONE,

		/** The partition has no such definition. */
		NONE,

		/** The partition is closed: the definition belongs to a newer epoch. */
		ELSEWHERE,

		/** Nothing was changed: a process is carrying the definition to a newer epoch. */
		CARRYING,

		/** Nothing was changed: its generation differs, or it was stored later. */
		DIFFERS,

		/** Nothing was changed: the older definition is paused. */
		PAUSED

	}

	/**
	 * The answer to a change.
	 *
	 * @param changed the outcome
	 * @param nowMicros the time of Redis, us since 1970
	 * @param headMillis the due time of a stored occurrence that is now the first one
	 * due, else 0
	 * @param drainingSinceMillis since when the partition accepts no new message, 0 if it
	 * accepts them
	 * @param unparked number of parked messages that are scheduled again
	 * @param isFirst whether this call, or an earlier run of it, has marked the partition
	 */
	public record Answer(Changed changed, long nowMicros, long headMillis, long drainingSinceMillis, long unparked,
			boolean isFirst) {
	}

	/**
	 * Stores a definition.
	 * @param partition the partition
	 * @param epochs the epochs of the queue
	 * @param settings the settings of the queue
	 * @param definition the definition
	 * @param first the first instant of the schedule
	 * @param isUnique whether no other partition has its key; if one may have it, a new
	 * definition has no occurrence until this call is repeated with {@code true}, or the
	 * partition's owner has removed older definitions
	 * @param isAdvanced whether a definition that is due may be replaced
	 * @return the answer
	 */
	public Answer put(Partition partition, Epochs epochs, QueueSettings settings, NewDefinition definition,
			Instant first, boolean isUnique, boolean isAdvanced) {
		RecurringFields fields = definition.fields();
		Reply reply = this.calls.run(StoreScript.PUT_RECURRING, partition, ScheduledMessages.count(partition, epochs),
				epochs.after(partition.epoch()), definition.key(), definition.generation(), definition.storedMicros(),
				definition.body(), Occurrence.isAhead(fields), WINDOW, fields.expiry(),
				Occurrence.of(definition.generation(), first).arguments(), isUnique, isAdvanced);
		return new Answer(reply.word(Changed.class, 0), reply.number(1), reply.number(2), reply.number(3),
				reply.number(4), reply.number(5) == 1);
	}

	/** How a definition is stopped or removed. */
	public enum Stop {

		/** An operator pauses the schedule. */
		PAUSE,

		/** No living member of its application declares the schedule. */
		SUSPEND,

		/** The definition is removed. */
		DELETE

	}

	/**
	 * Stops or removes a definition.
	 * @param partition the partition
	 * @param key its key
	 * @param generation the generation (version) to stop, empty for any
	 * @param stop how to stop or remove it
	 * @return the answer
	 */
	public Answer stop(Partition partition, String key, String generation, Stop stop) {
		return change(partition, stop.name().toLowerCase(Locale.ROOT), key, generation, "");
	}

	/**
	 * Removes a definition if a later one with its key is stored in another partition.
	 * @param partition the partition
	 * @param key the key of both definitions
	 * @param storedMicros when the later one was stored, us since 1970
	 * @param generation the generation of the later one
	 * @param isPaused whether the later one is paused; if not, a paused older one stays
	 * @return the answer: {@link Changed#DIFFERS} if this partition has the later one
	 */
	public Answer removeOlder(Partition partition, String key, long storedMicros, String generation, boolean isPaused) {
		return change(partition, isPaused ? "remove-paused" : "remove-older", key, "", storedMicros + generation);
	}

	/**
	 * Removes a definition that a newer epoch has received.
	 * @param partition the partition
	 * @param definition the definition
	 */
	public void carried(Partition partition, DueDefinition definition) {
		change(partition, "carried", definition.key(), definition.record().state().generation(), "");
	}

	private Answer change(Partition partition, String operation, String key, String generation, String than) {
		return answer(this.calls.run(StoreScript.CHANGE_RECURRING, partition, operation, key, generation, WINDOW, than,
				"", 0, INFINITE, "", ""));
	}

	/**
	 * Ends a pause or a suspension.
	 * @param partition the partition
	 * @param definition the definition
	 * @param isPause {@code true} to end a pause, {@code false} to end a suspension
	 * @param next the next instant of the definition, {@code null} if none follows: then
	 * the definition is removed
	 * @return the answer
	 */
	public Answer resume(Partition partition, DueDefinition definition, boolean isPause, @Nullable Instant next) {
		RecurringFields fields = definition.record().fields();
		String generation = definition.record().state().generation();
		return answer(this.calls.run(StoreScript.CHANGE_RECURRING, partition, isPause ? "resume" : "continue",
				definition.key(), generation, WINDOW, "", fields.expiry(), Occurrence.isAhead(fields),
				(next != null) ? Occurrence.of(generation, next).arguments() : List.of(INFINITE, "", "")));
	}

	private static Answer answer(Reply reply) {
		return new Answer(reply.word(Changed.class, 0), reply.number(1), reply.number(2), 0, reply.number(3), false);
	}

	/**
	 * The definition that a partition has for a key.
	 *
	 * @param nowMicros the time of Redis, us since 1970
	 * @param definition the definition, {@code null} if there is none
	 * @param envelope the envelope of its message without the call token, {@code null} if
	 * the caller did not ask for it
	 * @param isElsewhere whether a newer epoch may have the definition
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Found(long nowMicros, @Nullable DueDefinition definition, byte @Nullable [] envelope,
			boolean isElsewhere) {
	}

	/**
	 * Reads the clock of a partition's server.
	 * @param partition a partition
	 * @return the time of Redis, us since 1970
	 */
	public long nowMicros(Partition partition) {
		// No definition has the empty key
		return find(partition, "", false).nowMicros();
	}

	/**
	 * Finds a definition.
	 * @param partition the partition
	 * @param key its key
	 * @param withPayload whether to read the envelope of its message
	 * @return the answer
	 */
	public Found find(Partition partition, String key, boolean withPayload) {
		Reply reply = this.calls.run(StoreScript.FIND_RECURRING, partition, key, withPayload);
		if (!reply.is("found")) {
			return new Found(reply.number(1), null, null, reply.is("elsewhere"));
		}
		return new Found(reply.number(1), DueDefinition.of(key, reply, 2),
				withPayload ? RecurringRecord.envelope(reply.raw(3)) : null, false);
	}

	/**
	 * A page of the definitions of a partition.
	 *
	 * @param cursor the cursor of the next page, {@code 0} if this is the last one
	 * @param nowMicros the time of Redis, us since 1970
	 * @param definitions the definitions
	 */
	public record Page(String cursor, long nowMicros, List<DueDefinition> definitions) {
	}

	/**
	 * Lists definitions, except unreadable ones.
	 * @param partition the partition
	 * @param cursor the cursor of the previous page, {@code 0} for the first page
	 * @param limit about how many definitions the page has
	 * @return the page
	 */
	public Page page(Partition partition, String cursor, int limit) {
		Reply reply = this.calls.run(StoreScript.RECURRING_PAGE, partition, cursor, limit);
		List<DueDefinition> definitions = new ArrayList<>();
		for (int i = 2; i < reply.size(); i += 3) {
			RecurringSteps.add(definitions, new HashMap<>(), reply, i);
		}
		return new Page(reply.text(0), reply.number(1), definitions);
	}

	/**
	 * A definition on its way to a newer epoch.
	 *
	 * @param at the instant at which it is due, as a script argument
	 * @param definition the bytes of the definition
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Carried(String at, byte[] definition) {
	}

	/**
	 * Reads a definition of a closed partition, to carry it to a newer epoch. Calls that
	 * would change it are refused until it {@link #carried is removed}.
	 * @param partition the partition
	 * @param definition the definition
	 * @return the definition, {@code null} if it must stay for now
	 */
	public @Nullable Carried carry(Partition partition, DueDefinition definition) {
		RecurringRecord record = definition.record();
		RecurringRecord.State state = record.state();
		Instant started = (state.storing() != null) ? state.storing() : state.unsettled();
		Reply reply = this.calls.run(StoreScript.CARRY_RECURRING, partition, definition.key(), state.generation(),
				Occurrence.isAhead(record.fields()) ? "allow" : "skip",
				(started != null) ? Occurrence.of(state.generation(), started).arguments() : List.of("", "", ""));
		return reply.is("carries") ? new Carried(reply.text(1), reply.raw(2)) : null;
	}

	/**
	 * Stores a definition that was carried from an older epoch.
	 * @param partition the partition of the newer epoch
	 * @param epochs the epochs of the queue
	 * @param key its key
	 * @param carried the definition
	 * @return {@code false} if the definition belongs to a still newer epoch
	 */
	public boolean receive(Partition partition, Epochs epochs, String key, Carried carried) {
		return this.calls
			.run(StoreScript.RECEIVE_RECURRING, partition, epochs.after(partition.epoch()), key, carried.at(),
					carried.definition())
			.is("here");
	}

}
