package io.delayqueue.queue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The settings of the sweeper, which moves due messages to the stream.
 *
 * @param interval the longest time between two checks of a partition for due messages: 10
 * ms to 1 min
 * @param batchSize the most messages that one run of the sweep script moves, 1 to 1,000
 * @param highWaterMark the number of undelivered messages in a partition's stream from
 * which on sweeps move no further messages, up to 1,000,000; 0 for 10 x concurrency, at
 * least 1,000
 */
public record SweepSettings(Duration interval, int batchSize, int highWaterMark) {

	/** The bounds of {@code interval}. */
	public static final Bounds<Duration> INTERVAL = new Bounds<>(Duration.ofMillis(10), Duration.ofMinutes(1));

	/** The bounds of {@code batchSize}. */
	public static final Bounds<Integer> BATCH_SIZE = new Bounds<>(1, 1000);

	/** The bounds of {@code highWaterMark}. */
	public static final Bounds<Integer> HIGH_WATER_MARK = new Bounds<>(0, 1_000_000);

	/**
	 * Checks all settings, and names every fault in one exception.
	 * @throws IllegalArgumentException if a setting is out of its bounds
	 */
	public SweepSettings {
		List<String> faults = new ArrayList<>();
		INTERVAL.check(faults, "interval", interval);
		BATCH_SIZE.check(faults, "batch-size", batchSize);
		HIGH_WATER_MARK.check(faults, "high-water-mark", highWaterMark);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException("Sweeper: " + String.join("; ", faults));
		}
	}

	/**
	 * Shortens an interval by up to an eighth at random, so that processes do not check
	 * at the same time.
	 * @param interval the interval
	 * @return the shortened interval, ns
	 */
	public static long spread(Duration interval) {
		long nanos = interval.toNanos();
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 8 + 1);
	}

	/**
	 * Returns the interval of checks, shortened by up to an eighth at random.
	 * @return the shortened interval, ns
	 */
	public long spreadInterval() {
		return spread(this.interval);
	}

	/**
	 * Returns the number of undelivered messages in the stream of a partition from which
	 * on sweeps move no further messages to it (the high-water mark).
	 * @param queue the settings of the queue
	 * @return the most undelivered messages in the stream of a partition
	 */
	public int highWaterMark(QueueSettings queue) {
		return (this.highWaterMark > 0) ? this.highWaterMark : Math.max(1000, 10 * queue.concurrency());
	}

}
