package io.delayqueue.recurring;

import java.util.List;

import io.delayqueue.fleet.Wakeups;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.store.Due;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringCalls.Found;
import io.delayqueue.store.RecurringSteps;
import io.delayqueue.store.RecurringSteps.Advanced;
import io.delayqueue.store.RecurringSteps.After;
import io.delayqueue.store.RecurringSteps.Progress;
import io.delayqueue.store.RecurringSteps.Step;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Advances definitions of recurring schedules, notifies the process that sweeps a
 * partition if a new occurrence is due before all other messages of the partition, and
 * reports missed and skipped instants. This class is thread-safe.
 */
final class ReportedSteps {

	private static final Log logger = LogFactory.getLog(ReportedSteps.class);

	private final RecurringSteps steps;

	private final RecurringCalls calls;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	ReportedSteps(RecurringSteps steps, RecurringCalls calls, Wakeups wakeups, QueueObserver observer) {
		this.steps = steps;
		this.calls = calls;
		this.wakeups = wakeups;
		this.observer = observer;
	}

	/**
	 * Advances the definition of a recurring schedule that will be replaced, if it is
	 * due. A definition that cannot be read does not advance.
	 */
	void advance(Partition partition, Epochs epochs, String key) {
		advance(partition, epochs, key, Long.MAX_VALUE);
	}

	/**
	 * Advances the definition of a recurring schedule that was replaced, if it was due at
	 * an earlier time, and stores only the occurrences that were due then.
	 */
	void advance(Partition partition, Epochs epochs, String key, long latestMicros) {
		try {
			Found found = this.calls.find(partition, key, false);
			DueDefinition due = found.definition();
			long nowMicros = Math.min(found.nowMicros(), latestMicros);
			if (due != null && due.atMillis() > 0 && due.atMillis() <= nowMicros / 1000) {
				boolean isAhead = latestMicros == Long.MAX_VALUE && partition.epoch() == epochs.newest().number();
				advance(partition, epochs, List.of(Steps.of(due, nowMicros, isAhead)), 1, After.BEGIN, true);
			}
		}
		catch (UnreadableRecordException unreadable) {
			logger.debug("Recurring schedule '" + key + "' of partition " + partition + " does not advance",
					unreadable);
		}
	}

	/**
	 * Advances definitions of recurring schedules by the given steps, and reads further
	 * definitions that are due.
	 */
	Advanced advance(Partition partition, Epochs epochs, List<Step> steps, int limit, After after) {
		return advance(partition, epochs, steps, limit, after, false);
	}

	private Advanced advance(Partition partition, Epochs epochs, List<Step> steps, int limit, After after,
			boolean isReplaced) {
		Advanced answer = this.steps.advance(partition, epochs, steps, limit, after, isReplaced);
		if (answer.headMillis() > 0) {
			this.wakeups.due(partition, Due.leftNanos(answer.headMillis(), answer.nowMicros()));
		}
		for (int n = 0; n < answer.progress().size(); n++) {
			if (answer.progress().get(n) == Progress.ADVANCED || answer.progress().get(n) == Progress.SKIPPED) {
				report(partition.queue(), steps.get(n), answer.progress().get(n));
			}
		}
		return answer;
	}

	/**
	 * Finds the definitions whose next instants are missing in Redis, makes these
	 * definitions due at once, and logs their number.
	 */
	void mend(Partition partition) {
		long mended = this.steps.mend(partition);
		if (mended > 0) {
			logger.warn("The next instants of recurring schedules of partition " + partition
					+ " were missing in Redis, and are computed again: " + mended);
		}
	}

	private void report(String queue, Step step, Progress progress) {
		String key = step.due().key();
		long skipped = step.skipped() + ((progress == Progress.SKIPPED) ? step.occurrences().size() : 0);
		if (step.missed() > 0) {
			logger.warn(step.missed() + " instants of recurring schedule '" + key + "' of queue '" + queue
					+ "' were missed");
			this.observer.missed(queue, key, step.missed());
		}
		if (skipped > 0) {
			this.observer.skipped(queue, key, skipped);
		}
	}

}
