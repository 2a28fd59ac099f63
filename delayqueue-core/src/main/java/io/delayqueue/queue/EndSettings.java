package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The settings for messages that have ended.
 *
 * @param historyFor the time for which the history keeps the entry of an ended message, 1
 * min to 3,650 d
 * @param historyAtMost the most entries of ended messages that the history keeps, 0 for
 * no history
 * @param deadLetterQueue the queue that gets a copy of each dead letter, after which the
 * original is removed; {@code null} if dead letters stay in their own queue
 */
public record EndSettings(Duration historyFor, int historyAtMost, @Nullable String deadLetterQueue) {

	/** The default time for which a history keeps the entry of an ended message. */
	public static final Duration DEFAULT_FOR = Duration.ofDays(7);

	/** The default number of ended messages that a history keeps at most. */
	public static final int DEFAULT_AT_MOST = 100_000;

	/** Settings without a history; dead letters stay in their own queue. */
	public static final EndSettings NONE = new EndSettings(DEFAULT_FOR, 0, null);

	/** The bounds of {@code historyFor}. */
	public static final Bounds<Duration> HISTORY_FOR = new Bounds<>(Duration.ofMinutes(1), Duration.ofDays(3650));

	private static final int LEAST_OF_PARTITION = 1000;

	/** The bounds of {@code historyAtMost}. */
	public static final Bounds<Integer> HISTORY_AT_MOST = new Bounds<>(0, 100_000_000);

	/**
	 * Whether the queue keeps a history of ended messages.
	 * @return {@code true} if the history may have entries
	 */
	public boolean hasHistory() {
		return this.historyAtMost > 0;
	}

	/**
	 * Returns the most entries of ended messages that the history of one partition keeps.
	 * @param partitions the partition count of the queue
	 * @return the most entries of the whole queue divided by its partition count, rounded
	 * up; but at least 1,000, or the most entries of the queue if these are fewer,
	 * because all messages may end in one partition
	 */
	public int historyOfPartition(int partitions) {
		int share = (this.historyAtMost + partitions - 1) / partitions;
		return Math.max(share, Math.min(this.historyAtMost, LEAST_OF_PARTITION));
	}

	/** Adds an error message for each setting that is out of its bounds. */
	void check(List<String> faults, String queue) {
		HISTORY_FOR.check(faults, "history.for", this.historyFor);
		HISTORY_AT_MOST.check(faults, "history.at-most", this.historyAtMost);
		if (queue.equals(this.deadLetterQueue)) {
			faults.add("dead-letter-queue is " + queue + " but must be another queue");
		}
	}

}
