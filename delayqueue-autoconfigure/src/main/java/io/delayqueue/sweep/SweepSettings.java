package io.delayqueue.sweep;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.QueueSettings;

/**
 * How the sweeper works.
 *
 * @param interval how often it looks at a partition without being woken, 10 ms to 1 min
 * @param batchSize the most messages that one script moves, 1 to 1,000
 * @param highWaterMark how many undelivered messages a partition's stream may hold, up to
 * 1,000,000; 0 for 10 x concurrency, at least 1,000
 */
public record SweepSettings(Duration interval, int batchSize, int highWaterMark) {

	private static final Duration SHORTEST = Duration.ofMillis(10);

	private static final Duration LONGEST = Duration.ofMinutes(1);

	/**
	 * Checks all settings and names every fault at once.
	 * @throws IllegalArgumentException if a setting is out of its bounds
	 */
	public SweepSettings {
		List<String> faults = new ArrayList<>();
		if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
			faults.add("delayqueue.sweeper.interval is " + interval + " but must be from PT0.01S to PT1M");
		}
		if (batchSize < 1 || batchSize > 1000) {
			faults.add("delayqueue.sweeper.batch-size is " + batchSize + " but must be from 1 to 1000");
		}
		if (highWaterMark < 0 || highWaterMark > 1_000_000) {
			faults.add("delayqueue.sweeper.high-water-mark is " + highWaterMark + " but must be from 0 to 1000000");
		}
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException(String.join("; ", faults));
		}
	}

	int highWaterMark(QueueSettings queue) {
		return (this.highWaterMark > 0) ? this.highWaterMark : Math.max(1000, 10 * queue.concurrency());
	}

}
