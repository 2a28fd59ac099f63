package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.schedule.PreparedCalls;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Carries out the calls of claimed rows. Messages to schedule go in few calls of Redis,
 * all other rows one by one. The rows of a claim have different ids, so their order does
 * not matter.
 */
final class RowCalls {

	private static final Log logger = LogFactory.getLog(RowCalls.class);

	private final PreparedCalls calls;

	private final RowPolicy policy;

	private final Duration window;

	private final OutboxCounts counts;

	RowCalls(PreparedCalls calls, RowPolicy policy, Duration window, OutboxCounts counts) {
		this.calls = calls;
		this.policy = policy;
		this.window = window;
		this.counts = counts;
	}

	/**
	 * Carries out rows.
	 * @param rows the rows
	 * @param untilNanos until when a call may begin, by {@link System#nanoTime()}: the
	 * claim ends later
	 * @return the outcomes of the rows that were tried
	 */
	Collection<RowOutcome> carryOut(List<ClaimedRow> rows, long untilNanos) {
		List<RowOutcome> outcomes = new ArrayList<>(rows.size());
		List<ClaimedRow> schedules = rows.stream().filter((row) -> row.call().call() == Call.SCHEDULE).toList();
		if (!schedules.isEmpty() && isInTime(untilNanos)) {
			schedule(schedules, outcomes, untilNanos);
		}
		DelayQueueUnavailableException lost = null;
		for (ClaimedRow row : rows) {
			if (row.call().call() != Call.SCHEDULE && isInTime(untilNanos)) {
				if (lost != null) {
					// Each call would wait for the whole deadline
					outcomes.add(this.policy.of(row, lost));
					continue;
				}
				try {
					call(row);
					outcomes.add(finished(row));
				}
				catch (DelayQueueUnavailableException failure) {
					lost = failure;
					outcomes.add(this.policy.of(row, failure));
				}
				catch (RuntimeException failure) {
					outcomes.add(failed(row, failure));
				}
			}
		}
		outcomes.forEach(this.counts::add);
		return outcomes;
	}

	private static boolean isInTime(long untilNanos) {
		return System.nanoTime() - untilNanos < 0;
	}

	private void schedule(List<ClaimedRow> rows, List<RowOutcome> outcomes, long untilNanos) {
		List<ScheduleAnswer> answers;
		try {
			long now = System.nanoTime();
			answers = this.calls.schedule(rows.stream().map((row) -> row.message(now)).toList(), now);
		}
		catch (RuntimeException failure) {
			if (rows.size() == 1) {
				outcomes.add(failed(rows.get(0), failure));
			}
			else {
				// One row must not hold up the others
				rows.stream()
					.takeWhile((row) -> isInTime(untilNanos))
					.forEach((row) -> schedule(List.of(row), outcomes, untilNanos));
			}
			return;
		}
		for (int i = 0; i < rows.size(); i++) {
			ScheduleAnswer answer = answers.get(i);
			outcomes.add((answer.result() != null) ? finished(rows.get(i))
					: failed(rows.get(i), Objects.requireNonNull(answer.failure())));
		}
	}

	private void call(ClaimedRow row) {
		NewRow call = row.call();
		if (call.call() == Call.CANCEL) {
			this.calls.cancel(call.key(), call.token());
		}
		else {
			long now = System.nanoTime();
			this.calls.reschedule(call.key(), row.due(), row.passed(now), now, call.token());
		}
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
		if (outcome instanceof RowOutcome.Failed) {
			logger.error("Redis has refused " + row
					+ " of the outbox, which stays as a failed row until an operator retries or removes it: "
					+ failure.getMessage());
		}
		else {
			logger.debug("The outbox sends " + row + " again later", failure);
		}
		return outcome;
	}

}
