package io.delayqueue.fleet;

import io.delayqueue.admin.RepartitionPendingException;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.Members;
import io.delayqueue.store.PartitionControl;
import io.delayqueue.store.PartitionControl.Setting;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Repairs;

/**
 * The first steps of a change of the partition count of a queue: prepare the existing
 * partitions, store switches and holds in the new partitions, and wait for the
 * confirmation of all members. Any process may repeat each of these steps.
 */
final class NewEpochs {

	private final EpochCalls epochCalls;

	private final EpochLayouts epochLayouts;

	private final PartitionControl partitionControl;

	private final Repairs repairs;

	private final Members members;

	NewEpochs(RedisCalls calls, EpochCalls epochCalls, Members members) {
		this.epochCalls = epochCalls;
		this.epochLayouts = new EpochLayouts(calls);
		this.partitionControl = new PartitionControl(calls);
		this.repairs = new Repairs(calls);
		this.members = members;
	}

	/**
	 * Prepares the existing partitions of a queue for a further epoch (a new partition
	 * count).
	 * @throws RepartitionPendingException if the queue cannot have a further epoch now
	 */
	void prepare(Epochs epochs) {
		String queue = epochs.queue();
		if (epochs.newest().announced()) {
			throw new RepartitionPendingException(
					"The last change of the partition count of queue '" + queue + "' has not been completed", queue);
		}
		if (epochs.older().size() >= Epochs.MOST_OLDER) {
			throw new RepartitionPendingException("Queue '" + queue + "' has messages of " + Epochs.MOST_OLDER
					+ " earlier partition counts: its partition count can be changed again when the "
					+ "messages of one of these counts have ended", queue);
		}
		for (Partition partition : epochs.partitions()) {
			this.epochCalls.prepare(partition);
			this.repairs.repairDead(partition);
		}
	}

	/**
	 * Stores the switches (pause, drain) and holds of the queue in the partitions of an
	 * announced epoch.
	 */
	void layOut(Epochs epochs) {
		Setting switches = this.partitionControl.of(epochs.partitions(epochs.current()).get(0));
		Epoch newest = epochs.newest();
		this.epochLayouts.layOut(epochs, newest, epochs.partitions(newest), switches);
	}

	/**
	 * Whether all members that consume the queue have confirmed that they have read the
	 * newest epoch of the queue.
	 */
	boolean isConfirmed(Epochs epochs) {
		Partition first = new Partition(epochs.queue(), epochs.newest().number(), 0);
		Roster roster = Roster.read(this.members);
		return roster.isKnown() && roster.members()
			.stream()
			.filter((member) -> member.queues().containsKey(epochs.queue()))
			.allMatch((member) -> member.consumes(first));
	}

}
