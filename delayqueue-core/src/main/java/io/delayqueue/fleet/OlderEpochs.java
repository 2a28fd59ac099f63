package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DeadLetterCarrier;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.EpochCalls.End;
import io.delayqueue.store.EpochCalls.Remaining;
import io.delayqueue.store.History;
import io.delayqueue.store.QueueDirectory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The last steps of a change of the partition count of a queue: closes the older epochs
 * (the partitions of earlier partition counts), and ends the older epochs that are empty.
 * Any process may repeat each of these steps.
 */
final class OlderEpochs {

	private static final Log logger = LogFactory.getLog(OlderEpochs.class);

	/**
	 * The maximum number of calls to Redis to empty the history of one partition. Even
	 * the largest history needs fewer calls.
	 */
	private static final int MOST_TRIMS = 1_000_000;

	private final Queues queues;

	private final QueueDirectory directory;

	private final EpochCalls epochCalls;

	private final DeadLetterCarrier carrier;

	private final History history;

	OlderEpochs(Queues queues, QueueDirectory directory, EpochCalls epochCalls, DeadLetterCarrier carrier,
			History history) {
		this.queues = queues;
		this.directory = directory;
		this.epochCalls = epochCalls;
		this.carrier = carrier;
		this.history = history;
	}

	/**
	 * Closes all partitions of the older epochs.
	 * @throws StoreException if a partition could not be closed
	 */
	void close(Epochs epochs) {
		StoreException failed = null;
		for (Epoch older : epochs.older()) {
			for (Partition partition : epochs.partitions(older)) {
				try {
					this.epochCalls.close(partition, epochs);
				}
				catch (StoreException failure) {
					failed = failure;
				}
			}
		}
		if (failed != null) {
			throw failed;
		}
	}

	/**
	 * Removes the oldest ended messages from the history of a partition.
	 * @param most the number of ended messages to keep
	 */
	private void trim(Partition partition, long most) {
		for (int n = 0; n < MOST_TRIMS && this.history.trim(partition, most); n++) {
			logger.debug("Removing further ended messages from the history of partition " + partition);
		}
	}

	/**
	 * Removes as many of the oldest ended messages from the histories of older epochs as
	 * the queue has too many of. The histories of newer epochs have later ended messages,
	 * and each partition of a newer epoch limits its own history.
	 */
	private void trimHistories(Epochs epochs, List<Epoch> newestFirst) {
		EndSettings ends = this.queues.settings(epochs.queue()).ends();
		if (!ends.hasHistory()) {
			return;
		}
		long left = ends.historyAtMost() - count(epochs, epochs.current());
		for (Epoch older : newestFirst) {
			long most = Math.max(0, left);
			long ended = count(epochs, older);
			if (ended > most) {
				epochs.partitions(older)
					.forEach((partition) -> trim(partition, this.history.count(partition) * most / ended));
			}
			left -= ended;
		}
	}

	private long count(Epochs epochs, Epoch epoch) {
		return epochs.partitions(epoch).stream().mapToLong(this.history::count).sum();
	}

	/** Removes what a partition of an epoch that is empty still stores. */
	private boolean end(Partition partition) {
		trim(partition, 0);
		return this.epochCalls.end(partition);
	}

	/** The result of one attempt to end an older epoch of a queue. */
	enum Progress {

		/** An older epoch has ended. */
		ONE_HAS_ENDED,

		/**
		 * No older epoch can end yet: this process must read the epochs again, because a
		 * newer epoch has begun or the process was frozen for minutes.
		 */
		NEWER_EPOCH_BEGUN,

		/** More dead letters of an older epoch can move. */
		MORE_DEAD_LETTERS,

		/** No older epoch has ended, because each still has contents. */
		ALL_LAST

	}

	/**
	 * Ends the first older epoch that is empty. Closes open partitions of older epochs,
	 * moves their dead letters to newer epochs, and limits their histories.
	 */
	Progress end(Epochs epochs) {
		// Begin with the newest of the older epochs, because this epoch may receive dead
		// letters of an earlier epoch until its own dead letters have moved
		List<Epoch> all = new ArrayList<>(epochs.older());
		Collections.reverse(all);
		trimHistories(epochs, all);
		Epoch oldest = epochs.older().get(0);
		// If the queue has as many older epochs as are allowed, a history of ended
		// messages must not prevent the next change of the partition count
		boolean forgets = all.size() >= Epochs.MOST_OLDER;
		for (Epoch older : all) {
			boolean ended = true;
			for (Partition partition : epochs.partitions(older)) {
				Remaining remaining = this.epochCalls.remaining(partition);
				if (remaining.end() == End.OPEN) {
					this.epochCalls.close(partition, epochs);
				}
				else if (remaining.isOnlyDead()) {
					switch (this.carrier.carry(partition, epochs)) {
						case NEWER_EPOCH_BEGUN -> {
							return Progress.NEWER_EPOCH_BEGUN;
						}
						case MORE -> {
							return Progress.MORE_DEAD_LETTERS;
						}
						case COMPLETE -> remaining = this.epochCalls.remaining(partition);
					}
				}
				ended &= switch (remaining.end()) {
					case ENDED -> true;
					case REMEMBERS -> forgets;
					case RECEIVED -> older.equals(oldest);
					case LASTS, OPEN -> false;
				};
			}
			if (ended && epochs.partitions(older).stream().allMatch(this::end)
					&& this.directory.change(epochs, epochs.without(older.number()))) {
				logger.info("The " + older.partitions() + " older partitions of queue '" + epochs.queue()
						+ "' are empty, and are not used any more");
				return Progress.ONE_HAS_ENDED;
			}
		}
		return Progress.ALL_LAST;
	}

}
