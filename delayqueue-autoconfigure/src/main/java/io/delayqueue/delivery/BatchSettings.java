package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Bounds;
import io.delayqueue.queue.QueueSettings;

/**
 * How messages are put together to batches.
 *
 * @param most the most messages of a batch, 1 to 1,000
 * @param patience for how long a batch that is not full waits for more, 0 to 1 min,
 * counted from its first message; 0 for what one read has brought
 * @param byGroup whether a batch holds messages of one group only
 */
public record BatchSettings(int most, Duration patience, boolean byGroup) {

	/** The bounds of {@code most}. */
	public static final Bounds<Integer> MOST = new Bounds<>(1, 1000);

	/** The bounds of {@code patience}. */
	public static final Bounds<Duration> PATIENCE = new Bounds<>(Duration.ZERO, Duration.ofMinutes(1));

	/** How often a lease is renewed: a batch has to begin before the first time. */
	private static final int BEATS = 3;

	/** For how many groups there is room by default. */
	private static final int GROUPS = 10;

	/**
	 * Checks all settings and names every fault at once.
	 * @throws IllegalArgumentException if a setting is out of its bounds
	 */
	public BatchSettings {
		List<String> faults = new ArrayList<>();
		MOST.check(faults, "batch", most);
		PATIENCE.check(faults, "batchWait", patience);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException(String.join("; ", faults));
		}
	}

	/**
	 * How many messages a consumer has at once where its listener does not say it.
	 * @param queue the settings of the queue
	 * @return what they say, but at least as many as two batches have, of which one is
	 * handled while the next is collected; by group as many as ten batches
	 */
	public int concurrencyFor(QueueSettings queue) {
		return Math.max(queue.concurrency(), (this.byGroup ? GROUPS : 2) * this.most);
	}

	/**
	 * How many batches are handled at once: as many as there would be if all were full.
	 * Small ones are not more, or a listener would run on as many threads as it has
	 * messages.
	 */
	int batchesAtOnce(int concurrency) {
		return Math.max(1, concurrency / this.most);
	}

	/**
	 * Whether batches begin long before the leases of their messages end.
	 * @param queue the settings of the queue
	 * @return whether the wait is below a third of the visibility timeout
	 */
	public boolean isWithin(QueueSettings queue) {
		return this.patience.multipliedBy(BEATS).compareTo(queue.visibilityTimeout()) < 0;
	}

}
