package io.delayqueue.fleet;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.EpochCalls.Carried;
import io.delayqueue.store.Partitioner;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Carries dead letters of older epochs to the current one, so that they do not keep an
 * older one. A dead letter is not delivered, so it may be in both for a moment. A dead
 * letter stays if another message has its id in the current epoch, and with it those of
 * its group, so that no group is in two partitions. For use by one thread.
 */
final class DeadLetterCarrier {

	private static final Log logger = LogFactory.getLog(DeadLetterCarrier.class);

	private static final int SHOWN = 20;

	private final String name;

	private final Queues queues;

	private final EpochCalls epochCalls;

	/** The ids that stayed in a partition at the last try. Confined to one thread. */
	private final Map<Partition, Set<String>> staying = new HashMap<>();

	/**
	 * Creates the carrier.
	 * @param name the name of this process: only one process carries the dead letters of
	 * a partition
	 * @param queues the settings of the queues
	 * @param epochCalls the calls
	 */
	DeadLetterCarrier(String name, Queues queues, EpochCalls epochCalls) {
		this.name = name;
		this.queues = queues;
		this.epochCalls = epochCalls;
	}

	/** Carries all dead letters of a closed partition that has no other messages. */
	void carry(Partition from, Epoch current) {
		boolean countsDead = this.queues.settings(from.queue()).groups().countDead();
		Set<String> staying = new TreeSet<>();
		List<Carried> letters = this.epochCalls.carryOut(from, 0, this.name);
		while (!letters.isEmpty()) {
			Map<Partition, List<Carried>> byPartition = letters.stream()
				.collect(Collectors.groupingBy((letter) -> home(letter, from.queue(), current)));
			byPartition.forEach((to, all) -> staying.addAll(this.epochCalls.carryIn(to, all, countsDead)));
			this.epochCalls.carried(from, this.name,
					letters.stream().map(Carried::id).filter((id) -> !staying.contains(id)).toList());
			letters = this.epochCalls.carryOut(from, staying.size(), this.name);
		}
		log(from, staying);
	}

	/** Logs what stays once. */
	private void log(Partition from, Set<String> staying) {
		Set<String> logged = this.staying.getOrDefault(from, Set.of());
		if (!logged.containsAll(staying)) {
			logger.warn(staying.size() + " dead letters of partition " + from + " stay there, because other messages"
					+ " have their ids, or ids of their groups, in the newer partitions: redrive or discard them, so"
					+ " that the older partitions can end. The first ones are "
					+ staying.stream().limit(SHOWN).toList());
		}
		if (staying.isEmpty()) {
			this.staying.remove(from);
		}
		else {
			this.staying.put(from, staying);
		}
	}

	private static Partition home(Carried letter, String queue, Epoch epoch) {
		return new Partition(queue, epoch.number(), Partitioner.of(letter.id(), letter.group(), epoch.partitions()));
	}

}
