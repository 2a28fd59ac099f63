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
 * Stores, stops and finds recurring schedules, and moves them to newer epochs. Each
 * method runs one atomic script, is safe to repeat, and throws a {@code StoreException}.
 */
public final class RecurringCalls {

	static final String INFINITE = "+inf";

	/** The time to remember a removed definition: longer than a move to a newer epoch. */
	static final Duration WINDOW = Duration.ofMinutes(10);

	private final RedisCalls calls;

	/** Creates an instance that calls Redis. */
	public RecurringCalls(RedisCalls calls) {
		this.calls = calls;
	}

	/** What a call has done with a definition, named like the answers of the scripts. */
	public enum Changed {

		/** The call has stored the definition, and its key is new. */
		CREATED,

		/** The call has replaced another definition with the same key. */
		REPLACED,

		/** Nothing was stored, because the same definition is stored already. */
		UNCHANGED,

		/** Nothing was stored, because the partition is draining. */
		DRAINING,

		/**
		 * Nothing was changed: the first instant of the definition has passed, or the
		 * latest time of the call.
		 */
		LATE,

		/** Nothing was changed: due occurrences of the schedule must be stored first. */
		DUE,

		/** The definition is as requested now, by this call or by an earlier change. */
		DONE,

		/** Nothing was changed, because the partition has no such definition. */
		NONE,

		/** Nothing was changed: the definition belongs to a newer epoch. */
		ELSEWHERE,

		/** Nothing was changed: a process is moving the definition to a newer epoch. */
		CARRYING,

		/** Unchanged: the stored one is later, or is of another generation. */
		DIFFERS,

		/** Nothing was changed, because the older definition is paused. */
		PAUSED

	}

	/**
	 * The reply of Redis to a change of a definition.
	 *
	 * @param changed what the call has done
	 * @param nowMicros the time of Redis, us since 1970
	 * @param headMillis the due time of the stored occurrence if it is now the first due
	 * message of the partition, ms since 1970, else 0
	 * @param drainingSinceMillis since when the partition is draining, ms, 0 if it is not
	 * @param unparked number of parked messages that this call scheduled again
	 * @param isFirst whether this call, or perhaps an earlier run of it, has marked the
	 * partition as having recurring schedules
	 */
	public record Answer(Changed changed, long nowMicros, long headMillis, long drainingSinceMillis, long unparked,
			boolean isFirst) {
	}

	/**
	 * Stores a definition of a recurring schedule.
	 * @param partition the partition
	 * @param epochs the epochs of the queue
	 * @param settings the settings of the queue
	 * @param definition the definition
	 * @param first the first instant of the schedule
	 * @param isUnique whether no other partition has a definition with the key. If not, a
	 * new definition has no occurrences until a call passes {@code true}, or the
	 * partition's owner has removed older definitions
	 * @param isAdvanced whether a definition that is due may be replaced
	 * @return what the call has done
	 */
	public Answer put(Partition partition, Epochs epochs, QueueSettings settings, NewDefinition definition,
			Instant first, boolean isUnique, boolean isAdvanced) {
		RecurringFields fields = definition.fields();
		Reply reply = this.calls.run(StoreScript.PUT_RECURRING, partition, ScheduledMessages.count(partition, epochs),
				epochs.after(partition.epoch()), definition.key(), definition.generation(), definition.storedMicros(),
				definition.body(), Occurrence.isAhead(fields), WINDOW, fields.expiry(),
				Occurrence.of(definition.generation(), first).arguments(), isUnique, isAdvanced,
				definition.anchorMicros());
		return new Answer(reply.word(Changed.class, 0), reply.number(1), reply.number(2), reply.number(3),
				reply.number(4), reply.number(5) == 1);
	}

	/** How a call stops or removes a definition. */
	public enum Stop {

		/** The schedule is paused until an operator resumes it. */
		PAUSE,

		/** The schedule is suspended, because no living process declares it. */
		SUSPEND,

		/** An application or an operator removes the definition. */
		DELETE

	}

	/**
	 * Stops or removes a definition.
	 * @param partition the partition
	 * @param key the key of the definition
	 * @param generation the generation (version) of the definition to stop, empty for any
	 * @param stop how to stop or remove the definition
	 * @return what the call has done
	 */
	public Answer stop(Partition partition, String key, String generation, Stop stop) {
		return stop(partition, key, generation, stop, 0);
	}

	/**
	 * Stops or removes a definition.
	 * @param partition the partition
	 * @param key the key of the definition
	 * @param generation the generation (version) of the definition to stop, empty for any
	 * @param stop how to stop or remove the definition
	 * @param latestMillis the time after which nothing is suspended, ms since 1970 by the
	 * clock of the partition's server; 0 for any time
	 * @return what the call has done
	 */
	public Answer stop(Partition partition, String key, String generation, Stop stop, long latestMillis) {
		return change(partition, stop.name().toLowerCase(Locale.ROOT), key, generation, "", latestMillis);
	}

	/** Which definitions a call removes that another partition replaces. */
	public enum Older {

		/** Only a definition that is not paused and was not due at the replacement. */
		OLDER,

		/** Also a definition that was due, because its occurrences are stored now. */
		ADVANCED,

		/** Also a paused definition, because the later definition is paused, too. */
		PAUSED

	}

	/**
	 * Removes a definition if another partition has a later one with its key.
	 * @param partition the partition
	 * @param key the key of both definitions
	 * @param storedMicros when the later definition was stored, us since 1970
	 * @param generation the generation of the later definition
	 * @param which which definitions to remove
	 * @return the answer: {@link Changed#DIFFERS} if this definition is the later one
	 */
	public Answer removeOlder(Partition partition, String key, long storedMicros, String generation, Older which) {
		return change(partition, "remove-" + which.name().toLowerCase(Locale.ROOT), key, "", storedMicros + generation,
				0);
	}

	/** Removes a definition from an older epoch after a newer epoch has stored it. */
	public void carried(Partition partition, DueDefinition definition) {
		change(partition, "carried", definition.key(), definition.record().state().generation(), "", 0);
	}

	private Answer change(Partition partition, String operation, String key, String generation, String than,
			long latestMillis) {
		return answer(this.calls.run(StoreScript.CHANGE_RECURRING, partition, operation, key, generation, WINDOW, than,
				"", 0, INFINITE, "", "", latestMillis));
	}

	/**
	 * Ends the pause or the suspension of a recurring schedule.
	 * @param partition the partition
	 * @param definition the definition
	 * @param isPause {@code true} to end a pause, {@code false} to end a suspension
	 * @param next the next instant of the schedule, {@code null} if none follows: then
	 * the definition is removed
	 * @return what the call has done
	 */
	public Answer resume(Partition partition, DueDefinition definition, boolean isPause, @Nullable Instant next) {
		RecurringFields fields = definition.record().fields();
		String generation = definition.record().state().generation();
		return answer(this.calls.run(StoreScript.CHANGE_RECURRING, partition, isPause ? "resume" : "continue",
				definition.key(), generation, WINDOW, "", fields.expiry(), Occurrence.isAhead(fields),
				(next != null) ? Occurrence.of(generation, next).arguments() : List.of(INFINITE, "", ""), 0));
	}

	private static Answer answer(Reply reply) {
		return new Answer(reply.word(Changed.class, 0), reply.number(1), reply.number(2), 0, reply.number(3), false);
	}

	/**
	 * The definition that a partition has for a key.
	 *
	 * @param nowMicros the time of Redis, us since 1970
	 * @param definition the definition, {@code null} if there is none
	 * @param envelope the envelope without a call token, {@code null} if not read
	 * @param isElsewhere whether a newer epoch may have the definition
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Found(long nowMicros, @Nullable DueDefinition definition, byte @Nullable [] envelope,
			boolean isElsewhere) {
	}

	/** Returns the time of a partition's Redis server, us since 1970. */
	public long nowMicros(Partition partition) {
		// The empty key finds no definition, so the reply contains little but the time
		return find(partition, "", false).nowMicros();
	}

	/**
	 * Finds the definition of a recurring schedule.
	 * @param partition the partition
	 * @param key the key of the definition
	 * @param withPayload whether to read the envelope of the schedule's messages
	 * @return the definition, if the partition has it
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
	 * @param cursor the cursor of the next page, {@code 0} if this is the last page
	 * @param nowMicros the time of Redis, us since 1970
	 */
	public record Page(String cursor, long nowMicros, List<DueDefinition> definitions) {
	}

	/**
	 * Lists the definitions of a partition that this version of the library can read.
	 * @param partition the partition
	 * @param cursor the cursor of the previous page, {@code 0} for the first page
	 * @param limit about how many definitions the page has
	 * @return a page of definitions
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
	 * A definition that a process is moving to a newer epoch.
	 *
	 * @param at the instant at which the definition is due, as a script argument
	 * @param definition the bytes of the definition
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Carried(String at, byte[] definition) {
	}

	/**
	 * Reads a definition of a closed partition, to move it to a newer epoch. Scripts
	 * refuse to change the definition until {@link #carried} removes it.
	 * @return the definition, {@code null} if it must stay in this partition for now
	 */
	public @Nullable Carried carry(Partition partition, DueDefinition definition) {
		RecurringRecord record = definition.record();
		RecurringRecord.State state = record.state();
		Instant started = (state.storing() != null) ? state.storing() : state.unsettled();
		Reply reply = this.calls.run(StoreScript.CARRY_RECURRING, partition, definition.key(), state.generation(),
				record.fields().overlap().name().toLowerCase(Locale.ROOT),
				(started != null) ? Occurrence.of(state.generation(), started).arguments() : List.of("", "", ""));
		return reply.is("carries") ? new Carried(reply.text(1), reply.raw(2)) : null;
	}

	/**
	 * Stores a definition that a process moves from an older epoch.
	 * @param partition the partition of the newer epoch
	 * @param epochs the epochs of the queue
	 * @param key the key of the definition
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
