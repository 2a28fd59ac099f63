package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.Recurrence;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringPage;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.actuate.MessageOperations.OperatedMessageDescriptor;
import io.delayqueue.actuate.ProblemException.Problem;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Shows and operates the recurring schedules of a queue.
 *
 * @param recurring lists, pauses, resumes and runs recurring schedules
 */
record RecurringSchedules(RecurringOperations recurring) {

	private static final int UPCOMING = 5;

	/**
	 * A page of the recurring schedules of a queue.
	 *
	 * @param queue the queue's name
	 * @param schedules the schedules, in no particular order
	 * @param next the parameter {@code from} of the next page, {@code null} on the last
	 * page
	 */
	public record RecurringDescriptor(String queue, List<ScheduleDescriptor> schedules,
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
	 */
	public record ScheduleDescriptor(String queue, String key, @Nullable String group, @Nullable String cron,
			@Nullable ZoneId zone, @Nullable Duration every, @Nullable Instant from, @Nullable Instant until,
			MissedPolicy missed, OverlapPolicy overlap, List<Instant> upcoming, @Nullable Instant lastInstant,
			long lateMillis, @Nullable Instant pausedSince, @Nullable Instant suspendedSince,
			@Nullable String application, long missedInstants, long skippedInstants) implements OperationResponseBody {

		static ScheduleDescriptor of(RecurringSnapshot schedule) {
			Recurrence recurrence = schedule.recurrence();
			RecurringSnapshot.State state = schedule.state();
			return new ScheduleDescriptor(schedule.queue(), schedule.key(), schedule.group(), recurrence.cron(),
					recurrence.zone(), recurrence.every(), recurrence.from(), recurrence.until(),
					schedule.policies().missed(), schedule.policies().overlap(), schedule.upcoming(UPCOMING),
					state.lastInstant(), schedule.late().toMillis(), state.marks().paused(), state.marks().suspended(),
					state.marks().application(), state.counts().missed(), state.counts().skipped());
		}

	}

	RecurringDescriptor page(String queue, Parameters parameters) {
		int limit = parameters.limit(MessageReports.DEFAULT_LIMIT, MessageReports.MAX_LIMIT);
		try {
			RecurringPage page = this.recurring.list(queue, parameters.text("from"), limit);
			return new RecurringDescriptor(queue, page.schedules().stream().map(ScheduleDescriptor::of).toList(),
					page.cursor());
		}
		catch (InvalidMessageException invalid) {
			throw new InvalidMessageException("from", invalid.rule(), invalid);
		}
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
		ScheduleDescriptor body = schedule.map(ScheduleDescriptor::of)
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
