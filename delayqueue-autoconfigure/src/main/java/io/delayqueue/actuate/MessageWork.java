package io.delayqueue.actuate;

import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.actuate.ConflictException.What;
import io.delayqueue.queue.QueueSettings;

/**
 * What can be done with one message.
 *
 * @param messages cancels and reschedules
 * @param admin redrives and discards
 */
record MessageWork(DelayQueueOperations messages, DelayQueueAdmin admin) {

	private static final Set<String> OF_ONE = Set.of(Instructions.ID, Instructions.GROUP);

	private static final Set<String> OF_RESCHEDULE = Set.of(Instructions.ID, Instructions.GROUP, Instructions.AT,
			Instructions.DELAY, Instructions.NOW);

	Deed.Answer cancel(String queue, Instructions instructions) {
		MessageKey key = one(queue, instructions);
		return switch (this.messages.cancel(key)) {
			case CANCELLED -> Deed.one(key, "CANCELLED", "it was cancelled");
			case DEAD_LETTER -> Deed.one(key, "DEAD_LETTER", "it was a dead letter and is removed");
			case IN_FLIGHT -> throw new ConflictException(What.CANCELLED_IN_FLIGHT, new Deed(key, 1,
					"it was removed while a consumer has it; its handler may finish, no retry follows"));
			case NOT_FOUND -> throw new UnknownException(UnknownException.What.MESSAGE);
		};
	}

	Deed.Answer reschedule(String queue, Instructions instructions) {
		instructions.only(OF_RESCHEDULE);
		MessageKey key = instructions.key(queue);
		boolean now = instructions.flag(Instructions.NOW);
		long given = Stream.of(Instructions.AT, Instructions.DELAY).filter(instructions::has).count() + (now ? 1 : 0);
		if (given != 1) {
			throw Parameters.invalid("at, delay or now", "given " + given + " times",
					"given, one of them and no other; now as true");
		}
		RescheduleResult result = move(key, instructions, now);
		return switch (result) {
			case RESCHEDULED -> Deed.one(key, result.name(), "it was rescheduled, " + when(instructions, now));
			case IN_FLIGHT -> throw new ConflictException(What.IN_FLIGHT);
			case DEAD_LETTER -> throw new ConflictException(What.DEAD_LETTER);
			case NOT_FOUND -> throw new UnknownException(UnknownException.What.MESSAGE);
		};
	}

	private RescheduleResult move(MessageKey key, Instructions instructions, boolean now) {
		if (now) {
			return named(Instructions.NOW, () -> this.messages.reschedule(key, Duration.ZERO));
		}
		if (instructions.has(Instructions.DELAY)) {
			Duration delay = instructions.duration(Instructions.DELAY, QueueSettings.MAX_DELAY.most());
			return named(Instructions.DELAY, () -> this.messages.reschedule(key, delay));
		}
		return named(Instructions.AT, () -> this.messages.reschedule(key, instructions.instant(Instructions.AT)));
	}

	/** What is wrong with the due time is wrong with what the caller has given. */
	private static RescheduleResult named(String parameter, Supplier<RescheduleResult> call) {
		try {
			return call.get();
		}
		catch (InvalidMessageException invalid) {
			throw invalid.field().equals("dueAt") ? new InvalidMessageException(parameter, invalid.rule(), invalid)
					: invalid;
		}
	}

	private static String when(Instructions instructions, boolean now) {
		if (now) {
			return "now";
		}
		return instructions.has(Instructions.DELAY) ? "in " + instructions.text(Instructions.DELAY)
				: "at " + instructions.text(Instructions.AT);
	}

	Deed.Answer redrive(String queue, Instructions instructions) {
		MessageKey key = one(queue, instructions);
		try {
			return known(this.admin.redrive(key), key, "REDRIVEN", "it was redriven");
		}
		catch (QuotaExceededException full) {
			throw new ConflictException(What.QUOTA_EXCEEDED);
		}
	}

	Deed.Answer discard(String queue, Instructions instructions) {
		MessageKey key = one(queue, instructions);
		return known(this.admin.discard(key), key, "DISCARDED", "it was discarded");
	}

	private static MessageKey one(String queue, Instructions instructions) {
		instructions.only(OF_ONE);
		return instructions.key(queue);
	}

	private static Deed.Answer known(boolean known, MessageKey key, String result, String outcome) {
		if (!known) {
			throw new UnknownException(UnknownException.What.DEAD_LETTER);
		}
		return Deed.one(key, result, outcome);
	}

}
