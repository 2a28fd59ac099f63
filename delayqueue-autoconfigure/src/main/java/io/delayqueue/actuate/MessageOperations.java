package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.actuate.ProblemException.Problem;
import io.delayqueue.admin.DeadLetterEdit;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.EditedDeadLetter;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Operations on one message, or on several dead letters at once.
 *
 * @param messages cancels and reschedules messages
 * @param admin redrives and discards dead letters
 * @param reports counts dead letters
 */
record MessageOperations(DelayQueueOperations messages, DelayQueueAdmin admin, MessageReports reports) {

	/** The parameters of a redrive of several dead letters. */
	static final List<String> OF_SEVERAL = List.of("reason", "limit", "dryRun", "within");

	/** The default maximum number of dead letters that one request operates on. */
	private static final int DEFAULT_LIMIT = 100;

	/** The largest number of dead letters for which a request can ask. */
	private static final int MAX_LIMIT = 10_000;

	private static final Duration MAX_SPREAD = Duration.ofDays(7);

	/**
	 * The result of an operation on one message.
	 *
	 * @param queue the message's queue
	 * @param id the message's id
	 * @param group the group key, {@code null} if the caller did not pass one
	 * @param result {@code CANCELLED}, {@code DEAD_LETTER} (a dead letter was cancelled
	 * and is removed), {@code RESCHEDULED}, {@code REDRIVEN}, {@code DISCARDED}, or
	 * {@code SCHEDULED} (a recurring schedule was run)
	 */
	public record OperatedMessageDescriptor(String queue, String id, @Nullable String group,
			String result) implements OperationResponseBody {
	}

	/**
	 * The result of an operation on several dead letters.
	 *
	 * @param queue the queue of the dead letters; {@code *} for all queues
	 * @param reason the reason of the selected dead letters, {@code null} for any reason
	 * @param limit the maximum number of dead letters; if {@code count} equals {@code
	 * limit}, the queue may have more dead letters
	 * @param dryRun whether the call has only counted dead letters
	 * @param count the number of dead letters that were redriven or discarded, or for a
	 * dry run the number of selected dead letters. A dry run also counts dead letters
	 * that a redrive would not schedule, because their group has reached its quota
	 * @param queues the number for each queue that has dead letters, {@code null} if the
	 * operation was on one queue
	 */
	public record OperatedDeadLettersDescriptor(String queue, @Nullable String reason, int limit, boolean dryRun,
			int count, @Nullable Map<String, Integer> queues) implements OperationResponseBody {
	}

	/**
	 * The result of an edit.
	 *
	 * @param queue the message's queue
	 * @param id the message's id, the new one if it has another id
	 * @param group the group key, {@code null} if the message has none
	 * @param result {@code EDITED}: the message is redriven with its new content
	 * @param digestBefore the digest of the dead letter, as in {@link EditedDeadLetter}
	 * @param digestAfter the digest of the redriven message
	 */
	public record EditedMessageDescriptor(String queue, String id, @Nullable String group, String result,
			String digestBefore, String digestAfter) implements OperationResponseBody {
	}

	OperationResult cancel(String queue, Parameters parameters) {
		MessageKey key = key(queue, parameters);
		return switch (this.messages.cancel(key)) {
			case CANCELLED -> one(key, "CANCELLED", "the message was cancelled");
			case DEAD_LETTER -> one(key, "DEAD_LETTER", "the message was a dead letter and is removed");
			case IN_FLIGHT -> throw new ProblemException(Problem.CANCELLED_IN_FLIGHT);
			case NOT_FOUND -> throw new ProblemException(Problem.UNKNOWN_MESSAGE);
		};
	}

	OperationResult reschedule(String queue, Parameters parameters) {
		MessageKey key = parameters.key(queue);
		boolean now = parameters.flag("now");
		long given = Stream.of("at", "delay").filter(parameters::has).count() + (now ? 1 : 0);
		if (given != 1) {
			throw Parameters.invalid("at, delay or now", "given " + given + " times",
					"given, one of them and no other; now as true");
		}
		RescheduleResult result = move(key, parameters, now);
		return switch (result) {
			case RESCHEDULED -> one(key, result.name(), "the message was rescheduled, " + when(parameters, now));
			case IN_FLIGHT -> throw new ProblemException(Problem.IN_FLIGHT);
			case DEAD_LETTER -> throw new ProblemException(Problem.DEAD_LETTER);
			case NOT_FOUND -> throw new ProblemException(Problem.UNKNOWN_MESSAGE);
		};
	}

	private RescheduleResult move(MessageKey key, Parameters parameters, boolean now) {
		if (now) {
			return named("now", () -> this.messages.reschedule(key, Duration.ZERO));
		}
		if (parameters.has("delay")) {
			Duration delay = parameters.duration("delay", QueueSettings.MAX_DELAY.most());
			return named("delay", () -> this.messages.reschedule(key, delay));
		}
		return named("at", () -> this.messages.reschedule(key, parameters.instant("at")));
	}

	/**
	 * Calls the API, and reports an invalid due time under the name of the request
	 * parameter that contains it.
	 */
	private static RescheduleResult named(String parameter, Supplier<RescheduleResult> call) {
		try {
			return call.get();
		}
		catch (InvalidMessageException invalid) {
			throw invalid.field().equals("dueAt") ? new InvalidMessageException(parameter, invalid.rule(), invalid)
					: invalid;
		}
	}

	private static String when(Parameters parameters, boolean now) {
		if (now) {
			return "now";
		}
		return parameters.has("delay") ? "in " + parameters.text("delay") : "at " + parameters.text("at");
	}

	OperationResult redrive(String queue, Parameters parameters) {
		if (!parameters.has("id")) {
			parameters.only(OF_SEVERAL);
			return several(queue, parameters, this.admin::redrive, "redriven");
		}
		MessageKey key = key(queue, parameters);
		try {
			return known(this.admin.redrive(key), key, "REDRIVEN", "the dead letter was redriven");
		}
		catch (QuotaExceededException full) {
			throw new ProblemException(Problem.QUOTA_EXCEEDED);
		}
	}

	OperationResult discard(String queue, Parameters parameters) {
		if (!parameters.has("id")) {
			parameters.only(List.of("reason", "limit", "dryRun"));
			return several(queue, parameters, this.admin::discard, "discarded");
		}
		MessageKey key = key(queue, parameters);
		return known(this.admin.discard(key), key, "DISCARDED", "the dead letter was discarded");
	}

	private static MessageKey key(String queue, Parameters parameters) {
		parameters.only(List.of("id", "group"));
		return parameters.key(queue);
	}

	private static OperationResult known(boolean known, MessageKey key, String result, String outcome) {
		if (!known) {
			throw new ProblemException(Problem.UNKNOWN_DEAD_LETTER);
		}
		return one(key, result, outcome);
	}

	private static OperationResult one(MessageKey key, String result, String outcome) {
		return new OperationResult(new OperatedMessageDescriptor(key.queue(), key.id(), key.group(), result), key, 1,
				outcome);
	}

	OperationResult edit(String queue, Parameters parameters) {
		MessageKey key = parameters.key(queue);
		DeadLetterEdit edit = parameters.edit();
		EditedDeadLetter edited;
		try {
			edited = this.admin.redrive(key, edit).orElseThrow(() -> new ProblemException(Problem.UNKNOWN_DEAD_LETTER));
		}
		catch (QuotaExceededException full) {
			throw new ProblemException(Problem.QUOTA_EXCEEDED);
		}
		catch (QueueDrainingException draining) {
			throw new ProblemException(Problem.DRAINING);
		}
		catch (DuplicateMessageException exists) {
			throw new ProblemException(Problem.DUPLICATE);
		}
		MessageKey now = edited.key();
		return new OperationResult(
				new EditedMessageDescriptor(queue, now.id(), now.group(), "EDITED", edited.digestBefore(),
						edited.digestAfter()),
				key, 1,
				"the dead letter was edited and redriven"
						+ ((edit.id() != null) ? " with the id '" + now.id() + "'" : "") + "; SHA-256 before "
						+ edited.digestBefore() + ", after " + edited.digestAfter());
	}

	static int limit(Parameters parameters) {
		return parameters.limit(DEFAULT_LIMIT, MAX_LIMIT);
	}

	private OperationResult several(String queue, Parameters parameters, ToIntFunction<DeadLetterSelection> work,
			String done) {
		int limit = limit(parameters);
		Duration within = parameters.has("within") ? parameters.duration("within", MAX_SPREAD) : Duration.ZERO;
		String reason = parameters.reason();
		DeadLetterSelection selection = new DeadLetterSelection(queue, reason, limit, within);
		boolean dryRun = parameters.flag("dryRun");
		int count = dryRun ? this.reports.countDeadLetters(queue, reason, limit) : work.applyAsInt(selection);
		String outcome = count + " dead letters were " + done + ((reason != null) ? " with reason " + reason : "")
				+ ", of at most " + limit;
		return new OperationResult(new OperatedDeadLettersDescriptor(queue, reason, limit, dryRun, count, null), null,
				count, dryRun ? null : outcome);
	}

}
