package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.EpochCalls.End;
import io.delayqueue.store.EpochCalls.Remaining;
import io.delayqueue.store.QueueDirectory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Closes the older epochs of queues, and ends those that hold nothing. Each step may be
 * repeated by any process.
 */
final class OlderEpochs {

	private static final Log logger = LogFactory.getLog(OlderEpochs.class);

	private final QueueDirectory directory;

	private final EpochCalls epochCalls;

	private final DeadLetterCarrier carrier;

	OlderEpochs(QueueDirectory directory, EpochCalls epochCalls, DeadLetterCarrier carrier) {
		this.directory = directory;
		this.epochCalls = epochCalls;
		this.carrier = carrier;
	}

	/**
	 * Closes all partitions of the older epochs.
	 * @throws StoreException if one of them could not be closed
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
	 * Ends the first older epoch that holds nothing, and closes and empties the others as
	 * far as possible.
	 * @return whether this call has ended one
	 */
	boolean end(Epochs epochs) {
		// The newest one first: dead letters of an older one may belong to it
		List<Epoch> all = new ArrayList<>(epochs.older());
		Collections.reverse(all);
		for (Epoch older : all) {
			boolean ended = true;
			for (Partition partition : epochs.partitions(older)) {
				ended &= end(partition, epochs) == End.ENDED;
			}
			if (ended && this.directory.change(epochs, epochs.without(older.number()))) {
				logger.info("The " + older.partitions() + " older partitions of queue '" + epochs.queue()
						+ "' have ended: they hold nothing");
				return true;
			}
		}
		return false;
	}

	private End end(Partition partition, Epochs epochs) {
		Remaining remaining = this.epochCalls.remaining(partition);
		if (remaining.end() == End.OPEN) {
			this.epochCalls.close(partition, epochs);
		}
		else if (remaining.isOnlyDead()) {
			this.carrier.carry(partition, epochs);
			remaining = this.epochCalls.remaining(partition);
		}
		return remaining.end();
	}

}
