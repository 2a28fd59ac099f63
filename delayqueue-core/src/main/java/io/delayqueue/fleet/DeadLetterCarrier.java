package io.delayqueue.fleet;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * older one. A dead letter is not delivered, so it may be in both for a moment.
 */
final class DeadLetterCarrier {

	private static final Log logger = LogFactory.getLog(DeadLetterCarrier.class);

	private final String name;

	private final Queues queues;

	private final EpochCalls epochCalls;

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
		int staying = 0;
		List<Carried> letters = this.epochCalls.carryOut(from, staying, this.name);
		while (!letters.isEmpty()) {
			Map<Partition, List<Carried>> byPartition = letters.stream()
				.collect(Collectors.groupingBy((letter) -> home(letter, from.queue(), current)));
			Set<String> stays = new HashSet<>();
			byPartition.forEach((to, all) -> stays.addAll(this.epochCalls.carryIn(to, all, countsDead)));
			this.epochCalls.carried(from, this.name,
					letters.stream().map(Carried::id).filter((id) -> !stays.contains(id)).toList());
			staying += stays.size();
			if (!stays.isEmpty()) {
				logger.warn("Dead letters " + stays + " of partition " + from + " stay there, because other messages"
						+ " have these ids in the newer partitions: redrive or discard them, so that the older"
						+ " partitions can end");
			}
			letters = this.epochCalls.carryOut(from, staying, this.name);
		}
	}

	private static Partition home(Carried letter, String queue, Epoch epoch) {
		return new Partition(queue, epoch.number(), Partitioner.of(letter.id(), letter.group(), epoch.partitions()));
	}

}
