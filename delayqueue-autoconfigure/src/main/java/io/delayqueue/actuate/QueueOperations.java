package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

import io.delayqueue.DurationText;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RateLimit;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.actuate.ProblemException.Problem;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueLimits;
import io.delayqueue.admin.QueuePartitions;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.admin.RepartitionPendingException;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Carries out operations on a whole queue.
 *
 * @param admin pauses, resumes, holds, releases, drains, reopens and purges queues
 */
record QueueOperations(DelayQueueAdmin admin) {

	/**
	 * The state of a queue: whether it is paused, draining or held.
	 *
	 * @param queue the queue's name
	 * @param paused whether the queue is paused, so that no message is delivered
	 * @param pausedSince the time since which the queue is paused, {@code null} if the
	 * queue is not paused
	 * @param draining whether the queue accepts no new messages
	 * @param drainingSince the time since which the queue is draining, {@code null} if
	 * the queue is not draining
	 * @param held whether the whole queue is held
	 * @param heldUntil the end of the hold of the queue, {@code null} if the queue is not
	 * held
	 */
	public record QueueStatusDescriptor(String queue, boolean paused, @Nullable Instant pausedSince, boolean draining,
			@Nullable Instant drainingSince, boolean held,
			@Nullable Instant heldUntil) implements OperationResponseBody {

		static QueueStatusDescriptor of(QueueStatus status) {
			return new QueueStatusDescriptor(status.queue(), status.isPaused(), status.pausedSince(),
					status.isDraining(), status.drainingSince(), status.isHeld(),
					(status.hold() != null) ? status.hold().until() : null);
		}

	}

	/**
	 * A hold of a queue or of a group.
	 *
	 * @param queue the queue's name
	 * @param group the group key, {@code null} if the whole queue is held
	 * @param until when the hold ends, by the clock of Redis
	 * @param by the requester of the hold: {@code HANDLER} or {@code OPERATOR}
	 * @param process the process that has stored the hold
	 * @param why the reason of the hold; may be empty
	 */
	public record QueueHoldDescriptor(String queue, @Nullable String group, Instant until, String by, String process,
			String why) implements OperationResponseBody {

		static QueueHoldDescriptor of(QueueHold hold) {
			return new QueueHoldDescriptor(hold.queue(), hold.group(), hold.until(), hold.by().name(), hold.process(),
					hold.why());
		}

	}

	/**
	 * The result of a purge.
	 *
	 * @param queue the queue's name
	 * @param waiting the number of removed messages that no consumer held
	 * @param inFlight the number of removed messages that a consumer held: their handlers
	 * may finish, and no retry follows
	 * @param deadLetters the number of removed dead letters; 0 unless the caller
	 * requested to remove dead letters
	 */
	public record PurgeDescriptor(String queue, long waiting, long inFlight,
			long deadLetters) implements OperationResponseBody {

		static PurgeDescriptor of(PurgeResult result) {
			return new PurgeDescriptor(result.queue(), result.waiting(), result.inFlight(), result.deadLetters());
		}

	}

	OperationResult pause(String queue) {
		return status(queue, this.admin::pause, "the queue is paused");
	}

	OperationResult resume(String queue) {
		return status(queue, this.admin::resume, "the queue is not paused");
	}

	/**
	 * Holds a queue or a group. If the user is authenticated, the stored reason contains
	 * the name of the user.
	 */
	OperationResult hold(String principal, String queue, Parameters parameters) {
		if (parameters.has("at") == parameters.has("delay")) {
			throw Parameters.invalid("at or delay", "given " + (parameters.has("at") ? "twice" : "0 times"),
					"given, one of them and not the other");
		}
		String given = parameters.given().getOrDefault("why", "");
		String why = principal.equals(DelayQueueEndpoint.ANONYMOUS) ? given
				: given.isBlank() ? principal : given.strip() + " (" + principal + ")";
		String group = parameters.text("group");
		QueueHold hold = hold(queue, group, parameters, why);
		return new OperationResult(QueueHoldDescriptor.of(hold), null, 0,
				((group != null) ? "group '" + group + "'" : "the queue") + " is held until " + hold.until());
	}

	private QueueHold hold(String queue, @Nullable String group, Parameters parameters, String why) {
		try {
			if (parameters.has("delay")) {
				Duration delay = parameters.duration("delay", QueueSettings.MAX_DELAY.most());
				return (group != null) ? this.admin.hold(queue, group, delay, why) : this.admin.hold(queue, delay, why);
			}
			Instant until = parameters.instant("at");
			return (group != null) ? this.admin.hold(queue, group, until, why) : this.admin.hold(queue, until, why);
		}
		catch (InvalidMessageException invalid) {
			boolean isEnd = invalid.field().equals("until") || invalid.field().equals("duration");
			throw isEnd ? Parameters.invalid(parameters.has("at") ? "at" : "delay",
					parameters.text(parameters.has("at") ? "at" : "delay"), invalid.rule()) : invalid;
		}
	}

	OperationResult release(String queue, Parameters parameters) {
		String group = parameters.text("group");
		if (group != null) {
			this.admin.release(queue, group);
		}
		else {
			this.admin.release(queue);
		}
		return new OperationResult(QueueStatusDescriptor.of(this.admin.status(queue)), null, 0,
				(group != null) ? "group '" + group + "' is not held" : "neither the queue nor a group of it is held");
	}

	OperationResult drain(String queue) {
		return status(queue, this.admin::drain, "the queue is draining");
	}

	OperationResult reopen(String queue) {
		return status(queue, this.admin::reopen, "the queue accepts messages");
	}

	private static OperationResult status(String queue, Function<String, QueueStatus> call, String outcome) {
		return new OperationResult(QueueStatusDescriptor.of(call.apply(queue)), null, 0, outcome);
	}

	/**
	 * The result of a change of the partition count.
	 *
	 * @param queue the queue's name
	 * @param partitions the partition count that applies to new messages
	 * @param earlier the earlier partition counts whose partitions still have messages,
	 * the oldest first
	 */
	public record QueuePartitionsDescriptor(String queue, int partitions,
			List<Integer> earlier) implements OperationResponseBody {
	}

	OperationResult repartition(String queue, Parameters parameters) {
		try {
			QueuePartitions changed = this.admin.repartition(queue,
					parameters.number("partitions", 0, QueueSettings.MAX_PARTITIONS));
			return new OperationResult(
					new QueuePartitionsDescriptor(changed.queue(), changed.partitions(), changed.earlier()), null, 0,
					"the queue gets " + changed.partitions() + " partitions");
		}
		catch (RepartitionPendingException pending) {
			throw new ProblemException(Problem.REPARTITION_PENDING);
		}
	}

	/**
	 * The limits of a queue.
	 *
	 * @param queue the queue's name
	 * @param messages the maximum number of messages in a period, {@code null} for no
	 * rate limit
	 * @param per the period of the rate limit, as in ISO 8601, {@code null} for no rate
	 * limit
	 * @param burst the maximum number of messages that are handed to handlers at once,
	 * {@code null} for no rate limit
	 * @param stored whether an operator has set the rate limit
	 * @param maxInFlight the maximum number of messages that are pending at once, 0 for
	 * no limit
	 */
	public record QueueLimitsDescriptor(String queue, @Nullable Integer messages, @Nullable Duration per,
			@Nullable Integer burst, boolean stored, int maxInFlight) implements OperationResponseBody {

		static QueueLimitsDescriptor of(QueueLimits limits) {
			RateLimit rate = limits.rateLimit();
			return new QueueLimitsDescriptor(limits.queue(), (rate != null) ? rate.messages() : null,
					(rate != null) ? rate.per() : null, (rate != null) ? rate.burst() : null, limits.stored(),
					limits.maxInFlight());
		}

	}

	OperationResult limitRate(String queue, Parameters parameters) {
		int messages = parameters.number("messages", 0, RateLimit.MOST);
		Duration per = parameters.has("per") ? parameters.duration("per", RateLimit.LONGEST) : Duration.ofSeconds(1);
		int burst = parameters.number("burst", Math.max(1, messages / 10), RateLimit.MOST);
		RateLimit limit;
		try {
			limit = new RateLimit(messages, per, burst);
		}
		catch (IllegalArgumentException invalid) {
			throw Parameters.invalid("messages, per or burst", messages + ", " + DurationText.of(per) + ", " + burst,
					String.valueOf(invalid.getMessage()));
		}
		return new OperationResult(QueueLimitsDescriptor.of(this.admin.limitRate(queue, limit)), null, 0,
				"the queue hands over " + limit);
	}

	OperationResult clearRateLimit(String queue) {
		return new OperationResult(QueueLimitsDescriptor.of(this.admin.clearRateLimit(queue)), null, 0,
				"the queue has the rate limit of its settings");
	}

	OperationResult purge(String queue, Parameters parameters) {
		String confirm = parameters.text("confirm");
		if (!queue.equals(confirm)) {
			throw Parameters.invalid("confirm", confirm, "the name of the queue");
		}
		PurgeResult result = parameters.flag("deadLetters") ? this.admin.purgeWithDeadLetters(queue)
				: this.admin.purge(queue);
		return new OperationResult(PurgeDescriptor.of(result), null, result.total(),
				result.waiting() + " undelivered messages, " + result.inFlight() + " in flight and "
						+ result.deadLetters() + " dead letters were removed");
	}

}
