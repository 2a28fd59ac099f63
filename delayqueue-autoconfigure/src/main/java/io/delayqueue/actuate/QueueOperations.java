package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

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
import io.delayqueue.operate.RepairService;
import io.delayqueue.operate.RepairService.Repaired;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Mismatch;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Carries out operations on a whole queue.
 *
 * @param admin pauses, resumes, holds, releases, drains, reopens and purges queues
 * @param repairService audits and repairs queues
 */
record QueueOperations(DelayQueueAdmin admin, RepairService repairService) {

	/**
	 * The state of a queue: whether it is paused, draining or held.
	 *
	 * @param queue the queue's name
	 * @param paused whether the queue is paused, so that no message is delivered
	 * @param pausedSince the time since which the queue is paused, {@code null} if it is
	 * not paused
	 * @param draining whether the queue accepts no new messages
	 * @param drainingSince the time since which the queue is draining, {@code null} if it
	 * is not draining
	 * @param held whether the whole queue is held
	 * @param heldUntil the end of the hold of the queue, {@code null} if it is not held
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
	 * @param waiting the number of removed messages that were not delivered
	 * @param inFlight the number of removed messages that were delivered: their handlers
	 * may finish, and no retry follows
	 * @param deadLetters the number of removed dead letters; 0 unless the caller
	 * requested to remove them
	 */
	public record PurgeDescriptor(String queue, long waiting, long inFlight,
			long deadLetters) implements OperationResponseBody {

		static PurgeDescriptor of(PurgeResult result) {
			return new PurgeDescriptor(result.queue(), result.waiting(), result.inFlight(), result.deadLetters());
		}

	}

	/**
	 * The result of an audit: whether the counts of a queue are consistent. Each
	 * partition is counted at one instant. A single mismatch may come from an interrupted
	 * script and disappear when the message is settled; two mismatches in a row are
	 * damage.
	 *
	 * @param queue the queue's name
	 * @param addsUp whether every partition is consistent
	 * @param messages the number of records
	 * @param partitions the inconsistent partitions
	 */
	public record AuditDescriptor(String queue, boolean addsUp, long messages,
			List<Partition> partitions) implements OperationResponseBody {

		/**
		 * An inconsistent partition.
		 *
		 * @param number the number of the partition
		 * @param messages the number of records
		 * @param scheduled the number of scheduled ids, due or not
		 * @param parked the number of due ids that wait because their group is at its
		 * limit
		 * @param dead dead letters
		 * @param entries ids that are ready or pending
		 * @param ready entries in the stream
		 * @param withoutPlace records that are neither scheduled, parked, ready, pending
		 * nor dead; negative if ids have no record or are in several of these states
		 * @param withoutEntry messages whose entry is not in the stream
		 * @param stranded entries that no consumer will receive
		 */
		public record Partition(int number, long messages, long scheduled, long parked, long dead, long entries,
				long ready, long withoutPlace, long withoutEntry, long stranded) {

			private static Partition of(int number, Counts counts) {
				Mismatch mismatch = counts.mismatch();
				return new Partition(number, counts.messages(), counts.scheduled(), counts.parked(), counts.dead(),
						counts.entries(), counts.ready(), mismatch.withoutPlace(), mismatch.withoutEntry(),
						mismatch.stranded());
			}

		}

		static AuditDescriptor of(String queue, List<Counts> counts) {
			List<Partition> inconsistent = IntStream.range(0, counts.size())
				.filter((number) -> !counts.get(number).mismatch().isNone())
				.mapToObj((number) -> Partition.of(number, counts.get(number)))
				.toList();
			return new AuditDescriptor(queue, inconsistent.isEmpty(), counts.stream().mapToLong(Counts::messages).sum(),
					inconsistent);
		}

	}

	/**
	 * The result of a repair.
	 *
	 * @param queue the queue's name
	 * @param noPlace messages that had a record and were in no state; after the repair
	 * they are scheduled for their due times
	 * @param twoPlaces messages that were in two states; after the repair they are in one
	 * state
	 * @param early messages that had an earlier delivery time than their due times
	 * @param leftOver ids with obsolete data, which the repair has removed
	 * @param lost ids without a record, which cannot be repaired; the log contains these
	 * ids
	 * @param next the parameter {@code from} that continues the repair, {@code null} if
	 * every id was checked
	 */
	public record RepairDescriptor(String queue, int noPlace, int twoPlaces, int early, int leftOver, int lost,
			@Nullable String next) implements OperationResponseBody {

		static RepairDescriptor of(String queue, Repaired repaired) {
			return new RepairDescriptor(queue, repaired.count(Damage.NO_PLACE), repaired.count(Damage.TWO_PLACES),
					repaired.count(Damage.EARLY), repaired.count(Damage.LEFT_OVER), repaired.count(Damage.LOST),
					repaired.next());
		}

		int repaired() {
			return this.noPlace + this.twoPlaces + this.early + this.leftOver;
		}

	}

	OperationResult pause(String queue, Parameters parameters) {
		return status(queue, parameters, this.admin::pause, "the queue is paused");
	}

	OperationResult resume(String queue, Parameters parameters) {
		return status(queue, parameters, this.admin::resume, "the queue is not paused");
	}

	/** Holds a queue or a group; the reason contains the name of the user. */
	OperationResult hold(String principal, String queue, Parameters parameters) {
		parameters.only("group", "at", "delay", "why");
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
		parameters.only("group");
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

	OperationResult drain(String queue, Parameters parameters) {
		return status(queue, parameters, this.admin::drain, "the queue is draining");
	}

	OperationResult reopen(String queue, Parameters parameters) {
		return status(queue, parameters, this.admin::reopen, "the queue accepts messages");
	}

	private static OperationResult status(String queue, Parameters parameters, Function<String, QueueStatus> call,
			String outcome) {
		parameters.only();
		return new OperationResult(QueueStatusDescriptor.of(call.apply(queue)), null, 0, outcome);
	}

	/**
	 * The result of a change of the partition count.
	 *
	 * @param queue the queue's name
	 * @param partitions the partition count of new messages
	 * @param earlier the earlier partition counts whose partitions still have messages,
	 * the oldest first
	 */
	public record QueuePartitionsDescriptor(String queue, int partitions,
			List<Integer> earlier) implements OperationResponseBody {
	}

	OperationResult repartition(String queue, Parameters parameters) {
		parameters.only("partitions");
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
	 * @param messages the most messages in the period, {@code null} for no rate limit
	 * @param per the period, as in ISO 8601, {@code null} for no rate limit
	 * @param burst the most messages at once, {@code null} for no rate limit
	 * @param stored whether an operator has set the rate limit
	 * @param maxInFlight the most messages that are pending at once, 0 for any number
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
		parameters.only("messages", "per", "burst");
		int messages = parameters.number("messages", 0, RateLimit.MOST);
		Duration per = parameters.has("per") ? parameters.duration("per", RateLimit.LONGEST) : Duration.ofSeconds(1);
		int burst = parameters.number("burst", Math.max(1, messages / 10), RateLimit.MOST);
		RateLimit limit;
		try {
			limit = new RateLimit(messages, per, burst);
		}
		catch (IllegalArgumentException invalid) {
			throw Parameters.invalid("messages, per or burst", messages + ", " + per + ", " + burst,
					String.valueOf(invalid.getMessage()));
		}
		return new OperationResult(QueueLimitsDescriptor.of(this.admin.limitRate(queue, limit)), null, 0,
				"the queue hands over " + limit);
	}

	OperationResult clearRateLimit(String queue, Parameters parameters) {
		parameters.only();
		return new OperationResult(QueueLimitsDescriptor.of(this.admin.clearRateLimit(queue)), null, 0,
				"the queue has the rate limit of its settings");
	}

	OperationResult purge(String queue, Parameters parameters) {
		parameters.only("confirm", "deadLetters");
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

	OperationResult audit(String queue, Parameters parameters) {
		parameters.only();
		AuditDescriptor audit = AuditDescriptor.of(queue, this.repairService.audit(queue));
		return new OperationResult(audit, null, 0, audit.addsUp() ? "the counts of the queue are consistent"
				: audit.partitions().size() + " partitions of the queue have inconsistent counts");
	}

	OperationResult repair(String queue, Parameters parameters) {
		parameters.only("from");
		RepairDescriptor repair = RepairDescriptor.of(queue, this.repairService.repair(queue, parameters.text("from")));
		return new OperationResult(repair, null, repair.repaired(), repair.repaired() + " messages were repaired, "
				+ repair.lost() + " are lost" + ((repair.next() != null) ? ", and more are to be checked" : ""));
	}

}
