package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Bounds;
import io.delayqueue.queue.QueueSettings;

/**
 * The settings by which a consumer collects messages into batches.
 *
 * @param most the most messages of a batch, 1 to 1,000
 * @param patience the time for which a batch that is not full waits for more messages,
 * counted from its first message, 0 to 1 min; with 0 a batch contains messages of one
 * read only
 * @param byGroup whether a batch contains messages of one group only
 */
public record BatchSettings(int most, Duration patience, boolean byGroup) {

	/** The bounds of {@code most}. */
	public static final Bounds<Integer> MOST = new Bounds<>(1, 1000);

	/** The bounds of {@code patience}. */
	public static final Bounds<Duration> PATIENCE = new Bounds<>(Duration.ZERO, Duration.ofMinutes(1));

	/**
	 * The number of lease renewals in a visibility timeout: a batch must begin before the
	 * first renewal.
	 */
	private static final int BEATS = 3;

	/**
	 * The number of groups for which the default concurrency allows one full batch each,
	 * if {@code byGroup} is set.
	 */
	private static final int GROUPS = 10;

	/**
	 * Checks all settings, and names every fault in one exception.
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
	 * Returns the concurrency of a consumer whose listener sets no concurrency.
	 * @param queue the settings of the queue
	 * @return the concurrency of the queue, but at least the number of messages in two
	 * full batches, because one batch is handled while the next batch is collected; with
	 * {@code byGroup} at least the number of messages in ten full batches
	 */
	public int concurrencyFor(QueueSettings queue) {
		return Math.max(queue.concurrency(), (this.byGroup ? GROUPS : 2) * this.most);
	}

	/**
	 * Returns the number of batches that are handled at once: the number of full batches
	 * that fit into the concurrency, which counts messages. If more batches were handled
	 * at once, small batches could need a thread for each message.
	 */
	int batchesAtOnce(int concurrency) {
		return Math.max(1, concurrency / this.most);
	}

	/**
	 * Whether batches begin long before the leases of their messages end.
	 * @param queue the settings of the queue
	 * @return {@code true} if a batch waits for less than a third of the visibility
	 * timeout
	 */
	public boolean isWithin(QueueSettings queue) {
		return this.patience.multipliedBy(BEATS).compareTo(queue.visibilityTimeout()) < 0;
	}

}
