package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.Partition;
import io.delayqueue.schedule.PreparedCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the calls of claimed outbox rows. Rows that schedule messages are sent
 * together in few calls to Redis, all other rows are sent one by one.
 */
final class RowCalls {

	private static final Log logger = LogFactory.getLog(RowCalls.class);

	private final PreparedCalls calls;

	private final RedisGate gate;

	private final RowPolicy policy;

	private final Duration window;

	private final OutboxCounts counts;

	RowCalls(PreparedCalls calls, RedisGate gate, RowPolicy policy, Duration window, OutboxCounts counts) {
		this.calls = calls;
		this.gate = gate;
		this.policy = policy;
		this.window = window;
		this.counts = counts;
	}

	/**
	 * Carries out the calls of claimed rows, as far as the time allows. The rows of one
	 * message are sent one after the other, up to the first one that has to be sent
	 * again.
	 * @param rows the claimed rows, those of one message in their order
	 * @param untilNanos the time until which a call to Redis may begin, by
	 * {@link System#nanoTime()}; the claim of the rows ends later
	 * @return the outcomes, in the order of the rows
	 */
	List<RowOutcome> carryOut(List<ClaimedRow> rows, long untilNanos) {
		Map<ClaimedRow, RowOutcome> outcomes = new HashMap<>();
		// Skip rows whose partition in Redis did not answer an earlier call, because each
		// further call to that partition would last for the whole deadline
		Set<Partition> unreachable = new HashSet<>();
		List<ClaimedRow> left = rows;
		while (!left.isEmpty()) {
			Map<MessageKey, ClaimedRow> first = new LinkedHashMap<>();
			left.forEach((row) -> first.putIfAbsent(row.call().message(), row));
			carryOut(List.copyOf(first.values()), untilNanos, unreachable, outcomes);
			left = left.stream()
				.filter((row) -> isOver(outcomes.get(first.get(row.call().message()))) && !outcomes.containsKey(row))
				.toList();
		}
		List<RowOutcome> all = rows.stream().map((row) -> outcomes.computeIfAbsent(row, this.policy::untried)).toList();
		all.forEach(this.counts::add);
		return all;
	}

	private static boolean isOver(@Nullable RowOutcome outcome) {
		return outcome != null && !(outcome instanceof RowOutcome.Retried);
	}

	/** Carries out the calls of rows of different messages. */
	private void carryOut(List<ClaimedRow> rows, long untilNanos, Set<Partition> unreachable,
			Map<ClaimedRow, RowOutcome> outcomes) {
		List<ClaimedRow> schedules = rows.stream().filter((row) -> row.call().call() == Call.SCHEDULE).toList();
		if (!schedules.isEmpty() && isInTime(untilNanos)) {
			schedule(schedules, outcomes, untilNanos);
		}
		for (ClaimedRow row : rows) {
			if (row.call().call() != Call.SCHEDULE && isInTime(untilNanos) && (unreachable.isEmpty()
					|| (this.gate.isOpen() && !unreachable.contains(this.calls.likeliest(row.call().key()))))) {
				outcomes.put(row, outcomeOf(row, unreachable));
			}
		}
	}

	private RowOutcome outcomeOf(ClaimedRow row, Set<Partition> unreachable) {
		try {
			return (row.call().call() == Call.CANCEL) ? cancel(row) : reschedule(row);
		}
		catch (DelayQueueUnavailableException failure) {
			unreachable.add(this.calls.likeliest(row.call().key()));
			return failed(row, failure);
		}
		catch (RuntimeException failure) {
			return failed(row, failure);
		}
	}

	private static boolean isInTime(long untilNanos) {
		return System.nanoTime() - untilNanos < 0;
	}

	private void schedule(List<ClaimedRow> rows, Map<ClaimedRow, RowOutcome> outcomes, long untilNanos) {
		List<ScheduleAnswer> answers;
		try {
			answers = this.calls.schedule(rows.stream().map(ClaimedRow::message).toList());
		}
		catch (RuntimeException failure) {
			if (rows.size() == 1) {
				outcomes.put(rows.get(0), failed(rows.get(0), failure));
			}
			else {
				// Send each row in a call of its own, because one row may be the cause of
				// the failure and must not delay the other rows
				rows.forEach((row) -> {
					if (isInTime(untilNanos)) {
						schedule(List.of(row), outcomes, untilNanos);
					}
					else {
						outcomes.put(row, failed(row, failure));
					}
				});
			}
			return;
		}
		for (int i = 0; i < rows.size(); i++) {
			outcomes.put(rows.get(i), scheduled(rows.get(i), answers.get(i)));
		}
	}

	private RowOutcome cancel(ClaimedRow row) {
		CancelResult result = this.calls.cancel(row.call().key(), row.call().token());
		return (result == CancelResult.NOT_FOUND) ? unchanged(row, "the queue does not have the message")
				: finished(row);
	}

	private RowOutcome reschedule(ClaimedRow row) {
		NewRow call = row.call();
		return switch (this.calls.reschedule(call.key(), row.due(), row.writtenNanos(), call.token())) {
			case RESCHEDULED -> finished(row);
			case NOT_FOUND -> unchanged(row, "the queue does not have the message");
			case IN_FLIGHT -> unchanged(row, "the message is being handled");
			case DEAD_LETTER -> refused(row, "The message is a dead letter: redrive it, then retry this row");
		};
	}

	private RowOutcome scheduled(ClaimedRow row, ScheduleAnswer answer) {
		DelayQueueException failure = answer.failure();
		if (failure instanceof DuplicateMessageException && "keep".equals(row.call().onDuplicate())) {
			return refused(row,
					"A message with this id is being handled: retry this row when that message has ended and its"
							+ " done-window has passed");
		}
		if (failure != null) {
			return failed(row, failure);
		}
		return switch (Objects.requireNonNull(answer.result()).outcome()) {
			case CREATED, REPLACED, POSTPONED -> finished(row);
			case DUPLICATE -> unchanged(row, "the queue already has a message with this id");
			case DONE ->
				refused(row, "A message with this id has finished: retry this row when its done-window has passed");
			case DEAD_LETTER -> refused(row, "A dead letter has this id: redrive or discard it, then retry this row");
		};
	}

	private RowOutcome unchanged(ClaimedRow row, String reason) {
		this.counts.addUnchanged();
		logger.info("The outbox has sent " + row + ", which has changed nothing: " + reason);
		return finished(row);
	}

	private static RowOutcome refused(ClaimedRow row, String reason) {
		logger.error("The call was refused for " + row
				+ " of the outbox, which stays as a failed row until an operator retries or removes it: " + reason);
		return new RowOutcome.Failed(row, reason);
	}

	private RowOutcome finished(ClaimedRow row) {
		Duration uncertain = row.uncertain(System.nanoTime());
		if (uncertain.compareTo(this.window) > 0) {
			this.counts.addLate();
			logger.warn("The outbox has sent " + row + " again " + uncertain.toSeconds()
					+ " s after an attempt whose outcome is unknown. That is longer than delayqueue.outbox.window ("
					+ this.window.toSeconds() + " s), so the call may have been carried out twice");
		}
		return new RowOutcome.Finished(row);
	}

	private RowOutcome failed(ClaimedRow row, RuntimeException failure) {
		RowOutcome outcome = this.policy.of(row, failure);
		if (outcome instanceof RowOutcome.Failed refused) {
			return refused(row, refused.reason());
		}
		logger.debug("The outbox sends " + row + " again later", failure);
		return outcome;
	}

}
