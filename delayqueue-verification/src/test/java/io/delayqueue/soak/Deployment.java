package io.delayqueue.soak;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.Recurring;
import io.delayqueue.RecurringOperations;
import io.delayqueue.process.fixture.Journal.Writer;

/**
 * A new version of the application is deployed while its process that has run for longest
 * is frozen, for longer than it stays in the list of members. The other workers are
 * replaced by those of the new version, which declares a recurring schedule with another
 * interval. When the frozen worker runs again, that declaration must stay in force. At
 * last this worker is replaced, too.
 */
final class Deployment {

	static final String QUEUE = "declared";

	/** The declaration was not stored, or did not stay in force. */
	static final String OVERTAKEN = "overtaken";

	private static final String KEY = "of-the-application";

	private static final int STEP_MILLIS = 50;

	private static final long LONGEST_WAIT_MILLIS = 30_000;

	/** A process looks at the declarations of others every 2 s. */
	private static final long LOOK_MILLIS = 6000;

	private final Fleet fleet;

	/** For how long at least the worker is frozen. */
	private final Duration freeze;

	private final RecurringOperations schedules;

	private final Writer writer;

	Deployment(Fleet fleet, Duration freeze, RecurringOperations schedules, Writer writer) {
		this.fleet = fleet;
		this.freeze = freeze;
		this.schedules = schedules;
		this.writer = writer;
	}

	/** The listener, whose schedule each worker declares. */
	static class Listener {

		@DelayedListener(queue = QUEUE)
		@Recurring(key = KEY, every = "${soak.every}")
		void handle(DelayedMessage<String> message) {
			// The schedule matters, and not its occurrences
		}

	}

	/** The argument of a worker. */
	static String argument(int version) {
		return "--soak.every=" + every(version).toMillis() + "ms";
	}

	private static Duration every(int version) {
		return Duration.ofMillis(1000 + version);
	}

	/** Injects the fault; all workers run. */
	void happen() {
		int oldest = this.fleet.oldest();
		this.fleet.freeze(oldest);
		long end = System.nanoTime() + this.freeze.toNanos();
		this.fleet.newVersion();
		for (int i = 0; i < this.fleet.size(); i++) {
			if (i != oldest) {
				this.fleet.kill(i);
				this.fleet.awaitReady();
			}
		}
		Duration expected = every(this.fleet.version());
		await(LONGEST_WAIT_MILLIS, expected, true);
		if (!isInForce(expected)) {
			this.writer.add(OVERTAKEN, KEY, 0, "not stored");
		}
		while (System.nanoTime() - end < 0) {
			Faults.pause(STEP_MILLIS);
		}
		this.fleet.resume(oldest);
		await(LOOK_MILLIS, expected, false);
		if (!isInForce(expected)) {
			this.writer.add(OVERTAKEN, KEY, 0, "replaced or suspended");
		}
		this.fleet.kill(oldest);
	}

	/** Waits until the schedule is or is not in force, or for a bounded time. */
	private void await(long longestMillis, Duration expected, boolean inForce) {
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(longestMillis);
		while (System.nanoTime() - end < 0 && isInForce(expected) != inForce) {
			Faults.pause(STEP_MILLIS);
		}
	}

	private boolean isInForce(Duration expected) {
		return this.schedules.get(QUEUE, KEY)
			.filter((schedule) -> expected.equals(schedule.recurrence().every()) && schedule.suspendedSince().isEmpty())
			.isPresent();
	}

}
