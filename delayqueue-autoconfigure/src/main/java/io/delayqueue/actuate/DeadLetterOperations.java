package io.delayqueue.actuate;

import java.time.Duration;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

import io.delayqueue.MessageState;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.operate.MessagePages.QueuePage;
import org.jspecify.annotations.Nullable;

/**
 * Operations on several dead letters at once.
 *
 * @param admin redrives and discards
 * @param pages lists dead letters
 */
record DeadLetterOperations(DelayQueueAdmin admin, MessagePages pages) {

	/** The default limit of a call. */
	static final int DEFAULT_LIMIT = 100;

	/** The maximum limit of a call. */
	static final int MAX_LIMIT = 10_000;

	private static final Duration MAX_SPREAD = Duration.ofDays(7);

	private static final Set<String> DISCARD_PARAMETERS = Set.of(OperationParameters.REASON, OperationParameters.LIMIT,
			OperationParameters.DRY_RUN);

	private static final Set<String> REDRIVE_PARAMETERS = Set.of(OperationParameters.REASON, OperationParameters.LIMIT,
			OperationParameters.DRY_RUN, OperationParameters.WITHIN);

	OperationRecord.Answer redrive(String queue, int partitions, OperationParameters parameters) {
		parameters.only(REDRIVE_PARAMETERS);
		return several(queue, partitions, parameters, this.admin::redrive, "redriven");
	}

	OperationRecord.Answer discard(String queue, int partitions, OperationParameters parameters) {
		parameters.only(DISCARD_PARAMETERS);
		return several(queue, partitions, parameters, this.admin::discard, "discarded");
	}

	private OperationRecord.Answer several(String queue, int partitions, OperationParameters parameters,
			ToIntFunction<DeadLetterSelection> work, String done) {
		DeadLetterSelection selection = selection(queue, parameters);
		if (parameters.flag(OperationParameters.DRY_RUN)) {
			return counted(selection, partitions);
		}
		int count = work.applyAsInt(selection);
		String because = (selection.reason() != null) ? " with reason " + selection.reason() : "";
		return OperationRecord.several(body(selection, false, count), count,
				count + " dead letters were " + done + because + ", of at most " + selection.limit());
	}

	private static DeadLetterSelection selection(String queue, OperationParameters parameters) {
		int limit = Parameters.limit(Parameters.limit(parameters.text(OperationParameters.LIMIT), MAX_LIMIT),
				DEFAULT_LIMIT, MAX_LIMIT);
		Duration within = parameters.has(OperationParameters.WITHIN)
				? parameters.duration(OperationParameters.WITHIN, MAX_SPREAD) : Duration.ZERO;
		return new DeadLetterSelection(queue, Parameters.reason(parameters.text(OperationParameters.REASON)), limit,
				within);
	}

	private static OperatedDeadLettersDescriptor body(DeadLetterSelection selection, boolean dryRun, int count) {
		return new OperatedDeadLettersDescriptor(selection.queue(), selection.reason(), selection.limit(), dryRun,
				count);
	}

	/**
	 * Counts the dead letters that {@link DelayQueueAdmin} would select, without changes.
	 */
	private OperationRecord.Answer counted(DeadLetterSelection selection, int partitions) {
		MessageList dead = new MessageList(selection.queue(), partitions, MessageState.DEAD, selection.reason());
		int count = 0;
		@Nullable String from = null;
		do {
			QueuePage page = this.pages.list(dead, from, Math.min(MessagePages.LARGEST, selection.limit() - count),
					UnaryOperator.identity());
			count += page.messages().size();
			from = page.next();
		}
		while (from != null && count < selection.limit());
		return new OperationRecord.Answer(body(selection, true, count), null);
	}

}
