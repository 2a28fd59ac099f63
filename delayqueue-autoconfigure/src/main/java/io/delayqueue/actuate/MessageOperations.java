package io.delayqueue.actuate;

import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.actuate.ConflictException.What;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.queue.QueueSettings;

/**
 * Operations on one message.
 *
 * @param messages cancels and reschedules
 * @param admin redrives and discards
 */
record MessageOperations(DelayQueueOperations messages, DelayQueueAdmin admin) {

	private static final Set<String> KEY_PARAMETERS = Set.of(OperationParameters.ID, OperationParameters.GROUP);

	private static final Set<String> RESCHEDULE_PARAMETERS = Set.of(OperationParameters.ID, OperationParameters.GROUP,
			OperationParameters.AT, OperationParameters.DELAY, OperationParameters.NOW);

	OperationRecord.Answer cancel(String queue, OperationParameters parameters) {
		MessageKey key = key(queue, parameters);
		return switch (this.messages.cancel(key)) {
			case CANCELLED -> OperationRecord.one(key, "CANCELLED", "it was cancelled");
			case DEAD_LETTER -> OperationRecord.one(key, "DEAD_LETTER", "it was a dead letter and is removed");
			case IN_FLIGHT -> throw new ConflictException(What.CANCELLED_IN_FLIGHT, new OperationRecord(key, 1,
					"it was removed while a consumer has it; its handler may finish, no retry follows"));
			case NOT_FOUND -> throw new UnknownException(UnknownException.What.MESSAGE);
		};
	}

	OperationRecord.Answer reschedule(String queue, OperationParameters parameters) {
		parameters.only(RESCHEDULE_PARAMETERS);
		MessageKey key = parameters.key(queue);
		boolean now = parameters.flag(OperationParameters.NOW);
		long given = Stream.of(OperationParameters.AT, OperationParameters.DELAY).filter(parameters::has).count()
				+ (now ? 1 : 0);
		if (given != 1) {
			throw Parameters.invalid("at, delay or now", "given " + given + " times",
					"given, one of them and no other; now as true");
		}
		RescheduleResult result = move(key, parameters, now);
		return switch (result) {
			case RESCHEDULED -> OperationRecord.one(key, result.name(), "it was rescheduled, " + when(parameters, now));
			case IN_FLIGHT -> throw new ConflictException(What.IN_FLIGHT);
			case DEAD_LETTER -> throw new ConflictException(What.DEAD_LETTER);
			case NOT_FOUND -> throw new UnknownException(UnknownException.What.MESSAGE);
		};
	}

	private RescheduleResult move(MessageKey key, OperationParameters parameters, boolean now) {
		if (now) {
			return named(OperationParameters.NOW, () -> this.messages.reschedule(key, Duration.ZERO));
		}
		if (parameters.has(OperationParameters.DELAY)) {
			Duration delay = parameters.duration(OperationParameters.DELAY, QueueSettings.MAX_DELAY.most());
			return named(OperationParameters.DELAY, () -> this.messages.reschedule(key, delay));
		}
		return named(OperationParameters.AT,
				() -> this.messages.reschedule(key, parameters.instant(OperationParameters.AT)));
	}

	/** Reports an invalid due time under the name of the caller's parameter. */
	private static RescheduleResult named(String parameter, Supplier<RescheduleResult> call) {
		try {
			return call.get();
		}
		catch (InvalidMessageException invalid) {
			throw invalid.field().equals("dueAt") ? new InvalidMessageException(parameter, invalid.rule(), invalid)
					: invalid;
		}
	}

	private static String when(OperationParameters parameters, boolean now) {
		if (now) {
			return "now";
		}
		return parameters.has(OperationParameters.DELAY) ? "in " + parameters.text(OperationParameters.DELAY)
				: "at " + parameters.text(OperationParameters.AT);
	}

	OperationRecord.Answer redrive(String queue, OperationParameters parameters) {
		MessageKey key = key(queue, parameters);
		try {
			return known(this.admin.redrive(key), key, "REDRIVEN", "it was redriven");
		}
		catch (QuotaExceededException full) {
			throw new ConflictException(What.QUOTA_EXCEEDED);
		}
	}

	OperationRecord.Answer discard(String queue, OperationParameters parameters) {
		MessageKey key = key(queue, parameters);
		return known(this.admin.discard(key), key, "DISCARDED", "it was discarded");
	}

	private static MessageKey key(String queue, OperationParameters parameters) {
		parameters.only(KEY_PARAMETERS);
		return parameters.key(queue);
	}

	private static OperationRecord.Answer known(boolean known, MessageKey key, String result, String outcome) {
		if (!known) {
			throw new UnknownException(UnknownException.What.DEAD_LETTER);
		}
		return OperationRecord.one(key, result, outcome);
	}

}
