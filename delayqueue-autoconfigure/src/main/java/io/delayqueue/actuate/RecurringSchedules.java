package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.Recurrence;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringPage;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.actuate.MessageDescriptor.End;
import io.delayqueue.actuate.MessageDescriptor.Failure;
import io.delayqueue.actuate.MessageOperations.OperatedMessageDescriptor;
import io.delayqueue.actuate.ProblemException.Problem;
import io.delayqueue.queue.Epochs;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Shows and operates the recurring schedules of a queue.
 *
 * @param recurring lists, pauses, resumes and runs recurring schedules
 * @param messages finds the occurrences of recurring schedules
 */
record RecurringSchedules(RecurringOperations recurring, MessageReports messages) {

	/** Stands for all queues; no queue can have this name. */
	static final String ALL_QUEUES = "*";

	private static final int UPCOMING = 5;

	private static final int MAX_CURSOR = 200;

	/**
	 * A page of the recurring schedules of a queue, or of all queues.
	 *
	 * @param queue the queue's name, {@code null} for all queues
	 * @param schedules the schedules, those of all queues by queue, in no particular
	 * order otherwise
	 * @param next the parameter {@code from} of the next page, {@code null} on the last
	 * page
	 */
	public record RecurringDescriptor(@Nullable String queue, List<ScheduleDescriptor> schedules,
			@Nullable String next) implements OperationResponseBody {
	}

	/**
	 * A recurring schedule in a response of the endpoint.
	 *
	 * @param queue the queue of the occurrences
	 * @param key the key of the schedule, unique in the queue
	 * @param group the group key of the occurrences, {@code null} if they have no group
	 * @param cron the cron expression, {@code null} if the schedule has an interval
	 * @param zone the time zone of the cron expression
	 * @param every the interval, {@code null} if the schedule has a cron expression
	 * @param from the earliest instant of an occurrence, {@code null} for no limit
	 * @param until the latest instant of an occurrence, {@code null} for no limit
	 * @param missed the policy for instants whose occurrence could not be stored in time
	 * @param overlap the policy for an instant that comes while the last occurrence has
	 * not ended
	 * @param upcoming the next five instants; empty while the schedule is paused or
	 * suspended
	 * @param lastInstant the last instant for which an occurrence was stored; an
	 * occurrence may be stored before its instant
	 * @param lateMillis for how long the storing of the next occurrence has been overdue,
	 * ms
	 * @param pausedSince the time since which the schedule is paused, {@code null} if the
	 * schedule is not paused
	 * @param suspendedSince the time since which no process of its application declares
	 * the schedule, {@code null} if the schedule is not suspended
	 * @param application the application that declares the schedule, {@code null} if the
	 * schedule was created by a call
	 * @param missedInstants the number of instants whose occurrence could not be stored
	 * in time
	 * @param skippedInstants the number of instants that got no occurrence because the
	 * last occurrence had not ended
	 * @param words the cron expression in words, {@code null} if it has no common form or
	 * the schedule has an interval
	 * @param lastOccurrence the occurrence of the latest instant that has come and had
	 * one, {@code null} if there was none
	 */
	public record ScheduleDescriptor(String queue, String key, @Nullable String group, @Nullable String cron,
			@Nullable ZoneId zone, @Nullable Duration every, @Nullable Instant from, @Nullable Instant until,
			MissedPolicy missed, OverlapPolicy overlap, List<Instant> upcoming, @Nullable Instant lastInstant,
			long lateMillis, @Nullable Instant pausedSince, @Nullable Instant suspendedSince,
			@Nullable String application, long missedInstants, long skippedInstants, @Nullable String words,
			@Nullable OccurrenceDescriptor lastOccurrence) implements OperationResponseBody {

		static ScheduleDescriptor of(RecurringSnapshot schedule, @Nullable OccurrenceDescriptor lastOccurrence) {
			Recurrence recurrence = schedule.recurrence();
			String cron = recurrence.cron();
			RecurringSnapshot.State state = schedule.state();
			return new ScheduleDescriptor(schedule.queue(), schedule.key(), schedule.group(), cron, recurrence.zone(),
					recurrence.every(), recurrence.from(), recurrence.until(), schedule.policies().missed(),
					schedule.policies().overlap(), schedule.upcoming(UPCOMING), state.lastInstant(),
					schedule.late().toMillis(), state.marks().paused(), state.marks().suspended(),
					state.marks().application(), state.counts().missed(), state.counts().skipped(),
					(cron != null) ? CronWords.of(cron) : null, lastOccurrence);
		}

	}

	/**
	 * An occurrence of a recurring schedule, and what has become of it.
	 *
	 * @param id the id of the message
	 * @param instant the instant of the occurrence in the schedule
	 * @param state the state of the message, {@code null} if the message is unknown: it
	 * has ended, and its queue keeps no history of it, or it was never stored
	 * @param end how the message has ended, {@code null} unless the state is
	 * {@code FINISHED}
	 * @param attempts the number of attempts that have failed so far or, if the message
	 * has ended, of all attempts
	 * @param lastFailure why the last attempt failed, {@code null} if none has failed
	 */
	public record OccurrenceDescriptor(String id, Instant instant, @Nullable MessageState state, @Nullable End end,
			int attempts, @Nullable Failure lastFailure) {
	}

	RecurringDescriptor page(String queue, Parameters parameters) {
		int limit = parameters.limit(MessageReports.DEFAULT_LIMIT, MessageReports.MAX_LIMIT);
		if (queue.equals(ALL_QUEUES)) {
			return ofAllQueues(parameters.text("from"), limit);
		}
		Epochs epochs = this.messages.epochs(queue);
		RecurringPage page = page(queue, parameters.text("from"), limit);
		return new RecurringDescriptor(queue,
				page.schedules().stream().map((schedule) -> described(epochs, schedule)).toList(), page.cursor());
	}

	/**
	 * Lists the schedules of one queue after the other. The cursor of the next page is
	 * the name of a queue, a colon, which no name contains, and the cursor in this queue.
	 */
	private RecurringDescriptor ofAllQueues(@Nullable String from, int limit) {
		String begin = (from != null) ? from.substring(0, Math.max(0, from.indexOf(':'))) : "";
		SortedMap<String, Epochs> queues = this.messages.withRecurring();
		if (from != null && (begin.isEmpty() || from.length() > MAX_CURSOR)) {
			throw Parameters.invalid("from", from, "the cursor of the previous page");
		}
		List<ScheduleDescriptor> found = new ArrayList<>();
		int read = 0;
		for (Epochs epochs : queues.tailMap(begin).values()) {
			String queue = epochs.queue();
			int partitions = epochs.partitions().size();
			if (found.size() >= limit || (read > 0 && read + partitions > QueueReports.MAX_PARTITIONS)) {
				return new RecurringDescriptor(null, found, queue + ":");
			}
			read += partitions;
			String cursor = (from != null && queue.equals(begin)) ? from.substring(begin.length() + 1) : "";
			RecurringPage page = page(queue, cursor.isEmpty() ? null : cursor, limit - found.size());
			page.schedules().forEach((schedule) -> found.add(described(epochs, schedule)));
			if (page.cursor() != null) {
				return new RecurringDescriptor(null, found, queue + ":" + page.cursor());
			}
		}
		return new RecurringDescriptor(null, found, null);
	}

	private RecurringPage page(String queue, @Nullable String from, int limit) {
		try {
			return this.recurring.list(queue, from, limit);
		}
		catch (InvalidMessageException invalid) {
			throw new InvalidMessageException("from", invalid.rule(), invalid);
		}
	}

	private ScheduleDescriptor described(Epochs epochs, RecurringSnapshot schedule) {
		Instant last = schedule.state().lastInstant();
		Instant now = schedule.state().readAt();
		if (last != null && last.isAfter(now)) {
			last = previous(schedule.recurrence(), last, schedule.state().storedAt());
		}
		return ScheduleDescriptor.of(schedule,
				(last != null) ? this.messages.occurrence(epochs, schedule, last) : null);
	}

	/**
	 * Returns the instant before an instant whose occurrence is stored ahead,
	 * {@code null} if it is not after the time at which the schedule was stored.
	 */
	private static @Nullable Instant previous(Recurrence recurrence, Instant instant, Instant stored) {
		Duration every = recurrence.every();
		if (every != null) {
			Instant previous = instant.minus(every);
			return previous.isAfter(stored) ? previous : null;
		}
		Instant before = stored;
		Instant after = instant;
		if (!isBefore(recurrence, before, instant)) {
			return null;
		}
		while (Duration.between(before, after).toMillis() > 1) {
			Instant middle = before.plusMillis(Duration.between(before, after).toMillis() / 2);
			if (isBefore(recurrence, middle, instant)) {
				before = middle;
			}
			else {
				after = middle;
			}
		}
		return recurrence.next(before, stored).orElse(null);
	}

	/** Whether an instant of the recurrence is between two times. */
	private static boolean isBefore(Recurrence recurrence, Instant begin, Instant end) {
		return recurrence.next(begin, begin).filter((next) -> next.isBefore(end)).isPresent();
	}

	OperationResult pause(String queue, Parameters parameters) {
		String key = key(parameters);
		return changed(queue, key, this.recurring.pause(queue, key), "paused");
	}

	OperationResult resume(String queue, Parameters parameters) {
		String key = key(parameters);
		return changed(queue, key, this.recurring.resume(queue, key), "resumed");
	}

	OperationResult run(String queue, Parameters parameters) {
		String key = key(parameters);
		try {
			MessageKey message = this.recurring.runNow(queue, key)
				.map((scheduled) -> MessageKey.of(queue, scheduled.id()))
				.orElseThrow(() -> new ProblemException(Problem.UNKNOWN_SCHEDULE));
			return new OperationResult(new OperatedMessageDescriptor(queue, message.id(), null, "SCHEDULED"), message,
					1, "recurring schedule '" + key + "' was run");
		}
		catch (QuotaExceededException full) {
			throw new ProblemException(Problem.QUOTA_EXCEEDED);
		}
		catch (QueueDrainingException draining) {
			throw new ProblemException(Problem.DRAINING);
		}
	}

	private OperationResult changed(String queue, String key, boolean isKnown, String how) {
		Optional<RecurringSnapshot> schedule = isKnown ? this.recurring.get(queue, key) : Optional.empty();
		ScheduleDescriptor body = schedule.map((found) -> described(this.messages.epochs(queue), found))
			.orElseThrow(() -> new ProblemException(Problem.UNKNOWN_SCHEDULE));
		return new OperationResult(body, null, 0, "recurring schedule '" + key + "' was " + how);
	}

	private static String key(Parameters parameters) {
		String key = parameters.text("key");
		if (key == null) {
			throw Parameters.invalid("key", null, "given");
		}
		return key;
	}

}
