package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.EpochCalls.Arrival;
import io.delayqueue.store.EpochCalls.Carried;
import io.delayqueue.store.Partitioner;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Moves (carries) the dead letters of an older epoch to newer epochs, so that the older
 * epoch can end; an epoch is the partitions of one partition count of a queue. A dead
 * letter is in two epochs for a moment, which does no harm, because dead letters are not
 * delivered. For use by one thread.
 * <ol>
 * <li>The carrier marks the partition of the older epoch. The scripts then refuse to
 * change the dead letters of the marked partition, until the carrier has moved all dead
 * letters that can be moved.</li>
 * <li>The carrier offers each dead letter to the newer epochs in their order, as a
 * producer does with a message. A closed partition accepts a dead letter only if the
 * partition already has a message of the same group or, if the dead letter has no group,
 * a message with the same id. If another message in a newer partition has the same id as
 * a dead letter, the dead letter stays in the older partition, together with the other
 * dead letters of its group, so that no group is in two partitions.</li>
 * <li>The carrier removes from the partition of the older epoch the dead letters that
 * partitions of newer epochs have stored.</li>
 * </ol>
 * Any process may repeat each of these steps.
 */
final class DeadLetterCarrier {

	private static final Log logger = LogFactory.getLog(DeadLetterCarrier.class);

	private static final int SHOWN = 20;

	private final String name;

	private final Queues queues;

	private final EpochCalls epochCalls;

	/**
	 * The ids of the dead letters that had to stay in their partition at the last try, by
	 * partition. Confined to one thread.
	 */
	private final Map<Partition, Set<String>> staying = new HashMap<>();

	/**
	 * Creates the carrier.
	 * @param name the name of this process, which the carrier stores in the mark of a
	 * partition, so that only one process moves the dead letters of the partition
	 * @param queues the settings of the queues
	 * @param epochCalls the calls to Redis about epochs
	 */
	DeadLetterCarrier(String name, Queues queues, EpochCalls epochCalls) {
		this.name = name;
		this.queues = queues;
		this.epochCalls = epochCalls;
	}

	/**
	 * Moves all dead letters of a partition to newer epochs.
	 * @param from a closed partition that has no other messages
	 * @param epochs the epochs of the queue
	 * @return {@code false} if a newer epoch has begun meanwhile, or this process was
	 * frozen for minutes, so that the caller must read the epochs again and repeat the
	 * call
	 */
	boolean carry(Partition from, Epochs epochs) {
		Set<String> staying = new TreeSet<>();
		List<Carried> letters = this.epochCalls.carryOut(from, 0, this.name);
		while (!letters.isEmpty()) {
			List<Carried> left = letters;
			for (Epoch epoch : epochs.epochs()) {
				if (epoch.number() > from.epoch() && !left.isEmpty()) {
					Map<Arrival, List<Carried>> copied = copy(left, epoch, epochs);
					if (copied.containsKey(Arrival.LATE)) {
						return false;
					}
					copied.getOrDefault(Arrival.STAYS, List.of()).forEach((letter) -> staying.add(letter.id()));
					left = copied.getOrDefault(Arrival.ELSEWHERE, List.of());
				}
			}
			if (!left.isEmpty()) {
				return false;
			}
			this.epochCalls.carried(from, this.name,
					letters.stream().map(Carried::id).filter((id) -> !staying.contains(id)).toList());
			letters = this.epochCalls.carryOut(from, staying.size(), this.name);
		}
		log(from, staying);
		return true;
	}

	/**
	 * Copies dead letters to the partitions of one epoch, and groups the dead letters by
	 * the result of the copy.
	 */
	private Map<Arrival, List<Carried>> copy(List<Carried> letters, Epoch epoch, Epochs epochs) {
		boolean countsDead = this.queues.settings(epochs.queue()).groups().countDead();
		Map<Arrival, List<Carried>> copied = new EnumMap<>(Arrival.class);
		Map<Partition, List<Carried>> byPartition = letters.stream()
			.collect(Collectors.groupingBy((letter) -> home(letter, epochs.queue(), epoch)));
		byPartition.forEach((to, all) -> {
			List<Arrival> arrivals = this.epochCalls.carryIn(to, epochs, all, countsDead);
			for (int n = 0; n < arrivals.size(); n++) {
				copied.computeIfAbsent(arrivals.get(n), (absent) -> new ArrayList<>()).add(all.get(n));
			}
		});
		return copied;
	}

	/** Logs once which dead letters stay in the partition of the older epoch. */
	private void log(Partition from, Set<String> staying) {
		Set<String> logged = this.staying.getOrDefault(from, Set.of());
		if (!logged.containsAll(staying)) {
			logger.warn(staying.size() + " dead letters of partition " + from + " cannot move to the newer"
					+ " partitions, because other messages there have their ids or the ids of their groups: redrive or"
					+ " discard these dead letters, so that the older partitions can end. The first ones are "
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
