package io.delayqueue.fleet;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.Holds;
import io.delayqueue.store.PartitionControl.Setting;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RedisCalls;

/**
 * Stores the switches (pause, drain) and the holds of a queue in the partitions of a new
 * epoch (a new partition count). Does not change a partition that has been given its
 * switches and holds before.
 */
public final class EpochLayouts {

	private final EpochCalls epochCalls;

	private final Holds holds;

	/**
	 * Creates an object that stores switches and holds in partitions.
	 * @param calls makes the calls to Redis
	 */
	public EpochLayouts(RedisCalls calls) {
		this.epochCalls = new EpochCalls(calls);
		this.holds = new Holds(calls);
	}

	/**
	 * Stores the switches and the holds of a queue in partitions of an epoch.
	 * @param epochs the epochs of the queue
	 * @param epoch the epoch of the partitions
	 * @param partitions the partitions
	 * @param switches the switches of the queue
	 * @throws StoreException if Redis does not answer, or refuses a call
	 */
	public void layOut(Epochs epochs, Epoch epoch, Collection<Partition> partitions, Setting switches) {
		Collection<QueueHold> all = epoch.announced() ? holds(epochs) : List.of();
		partitions.forEach((partition) -> this.epochCalls.layOut(partition, epoch.partitions(), switches,
				all.stream().filter((hold) -> concerns(hold, partition, epoch)).toList()));
	}

	private static boolean concerns(QueueHold hold, Partition partition, Epoch epoch) {
		String group = hold.group();
		return group == null || Partitioner.of("", group, epoch.partitions()) == partition.number();
	}

	/**
	 * Reads the holds of the queue. Reads only the partitions of the current epoch,
	 * because each hold is stored in all epochs.
	 */
	private Collection<QueueHold> holds(Epochs epochs) {
		Map<String, QueueHold> holds = new HashMap<>();
		for (Partition partition : epochs.partitions(epochs.current())) {
			for (QueueHold hold : this.holds.of(partition, Integer.MAX_VALUE)) {
				holds.merge((hold.group() != null) ? hold.group() : "", hold,
						(one, other) -> one.until().isBefore(other.until()) ? other : one);
			}
		}
		return holds.values();
	}

}
