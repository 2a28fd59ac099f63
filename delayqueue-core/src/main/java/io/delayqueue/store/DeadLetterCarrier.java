package io.delayqueue.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.EpochCalls.Arrival;
import io.delayqueue.store.EpochCalls.Carried;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Moves (carries) the dead letters of an older epoch to newer epochs, so that the older
 * epoch can end; an epoch is the partitions of one partition count of a queue. A dead
 * letter is in two epochs for a moment, which does no harm, because dead letters are not
 * delivered. Safe for use by several threads and processes, which may move the same dead
 * letters at the same time.
 * <ol>
 * <li>When a closed partition has only dead letters left, a script marks the partition.
 * From then on, the partition accepts no message, and the scripts do not change its dead
 * letters: these only leave the partition. So a process that stops or freezes here holds
 * up nobody.</li>
 * <li>The carrier offers each dead letter to the newer epochs in their order, as a
 * producer does with a message. A closed partition accepts a dead letter only if the
 * partition already has a message of the same group or, if the dead letter has no group,
 * a message with the same id. If another message in a newer partition has the same id and
 * group as a dead letter, the dead letter stays in the older partition for now.</li>
 * <li>The carrier removes from the partition of the older epoch the dead letters that
 * partitions of newer epochs have stored.</li>
 * </ol>
 * A caller that wants to change a dead letter of a marked partition moves this dead
 * letter first.
 */
public final class DeadLetterCarrier {

	private static final Log logger = LogFactory.getLog(DeadLetterCarrier.class);

	private static final int SHOWN = 20;

	/**
	 * The maximum number of steps, of up to 100 dead letters each, before other work gets
	 * a turn.
	 */
	private static final int MOST_STEPS = 10;

	private final Queues queues;

	private final EpochCalls epochCalls;

	private final QueueDirectory directory;

	/**
	 * The ids and groups of the dead letters that had to stay in their partition at the
	 * last try, by partition.
	 */
	private final Map<Partition, Set<StoredId>> staying = new ConcurrentHashMap<>();

	/**
	 * Creates the carrier.
	 * @param queues the settings of the queues
	 * @param epochCalls the calls to Redis about epochs
	 * @param directory the queues in Redis
	 */
	public DeadLetterCarrier(Queues queues, EpochCalls epochCalls, QueueDirectory directory) {
		this.queues = queues;
		this.epochCalls = epochCalls;
		this.directory = directory;
	}

	/** How far the dead letters of a partition have moved. */
	public enum Progress {

		/** No dead letters are left, but for those that cannot move. */
		COMPLETE,

		/** More dead letters are left: the caller must call again. */
		MORE,

		/**
		 * A newer epoch has begun meanwhile, or this process was frozen for minutes: the
		 * caller must read the epochs again.
		 */
		NEWER_EPOCH_BEGUN

	}

	/**
	 * Moves dead letters of a partition to newer epochs, up to 1,000 of them.
	 * @param from a closed partition that has no other messages
	 * @param epochs the epochs of the queue
	 * @return how far the dead letters have moved
	 */
	public Progress carry(Partition from, Epochs epochs) {
		Set<StoredId> staying = new LinkedHashSet<>();
		for (int n = 0; n < MOST_STEPS; n++) {
			List<Carried> letters = this.epochCalls.carryOut(from, staying.size());
			if (letters.isEmpty()) {
				log(from, staying);
				return Progress.COMPLETE;
			}
			Set<StoredId> stayed = carry(from, epochs, letters).orElse(null);
			if (stayed == null) {
				return Progress.NEWER_EPOCH_BEGUN;
			}
			staying.addAll(stayed);
		}
		return Progress.MORE;
	}

	/**
	 * Makes a call that may change dead letters. If the partition refuses the call
	 * because its dead letters move to a newer epoch, this method first moves those of
	 * the call.
	 * @param partition the partition
	 * @param ids the ids and groups of the messages of the call
	 * @param call makes the call for the given ids: at first all, then those that are not
	 * dead letters which have to stay in the partition
	 * @param <A> the type of the answer
	 * @return the answer
	 */
	public <A> A call(Partition partition, List<StoredId> ids, Function<List<StoredId>, A> call) {
		try {
			return call.apply(ids);
		}
		catch (StoreException refused) {
			if (!refused.isCarrying()) {
				throw refused;
			}
			Set<StoredId> staying = carry(partition, ids, refused);
			return call.apply(ids.stream().filter((id) -> !staying.contains(id)).toList());
		}
	}

	/**
	 * Makes a call that may change one dead letter. If the partition refuses the call
	 * because its dead letters move to a newer epoch, this method first moves those that
	 * the candidate may mean.
	 * @param candidate the partition and the message
	 * @param call the call
	 * @param <A> the type of the answer
	 * @return the answer
	 */
	public <A> A call(Candidate candidate, Function<Candidate, A> call) {
		try {
			return call.apply(candidate);
		}
		catch (StoreException refused) {
			if (!refused.isCarrying()) {
				throw refused;
			}
			if (!carry(candidate.partition(), this.epochCalls.meant(candidate), refused).isEmpty()) {
				throw new StoreException(FailureKind.REFUSED,
						"The dead letter is in partition " + candidate.partition()
								+ " of an earlier partition count, and cannot move to "
								+ "a current partition before another message there with its id has ended",
						null);
			}
			return call.apply(candidate);
		}
	}

	private Set<StoredId> carry(Partition from, List<StoredId> ids, StoreException refused) {
		Set<StoredId> staying = new HashSet<>();
		try {
			Epochs epochs = this.directory.refreshFrom(from);
			for (int at = 0; at < ids.size(); at += EpochCalls.MOST_CARRIED) {
				List<StoredId> asked = ids.subList(at, Math.min(ids.size(), at + EpochCalls.MOST_CARRIED));
				List<Carried> letters = this.epochCalls.carryOut(from, asked);
				while (!letters.isEmpty()) {
					staying.addAll(carry(from, epochs, letters).orElseThrow(() -> refused));
					asked = asked.stream().filter((id) -> !staying.contains(id)).toList();
					letters = asked.isEmpty() ? List.of() : this.epochCalls.carryOut(from, asked);
				}
			}
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
		return staying;
	}

	/**
	 * Moves dead letters, and returns the ids of those that stay; empty if a newer epoch
	 * has begun.
	 */
	private Optional<Set<StoredId>> carry(Partition from, Epochs epochs, List<Carried> letters) {
		Set<StoredId> staying = new LinkedHashSet<>();
		List<Carried> left = letters;
		for (Epoch epoch : epochs.epochs()) {
			if (epoch.number() > from.epoch() && !left.isEmpty()) {
				Map<Arrival, List<Carried>> copied = copy(left, epoch, epochs);
				if (copied.containsKey(Arrival.LATE)) {
					return Optional.empty();
				}
				copied.getOrDefault(Arrival.STAYS, List.of()).forEach((letter) -> staying.add(letter.storedId()));
				left = copied.getOrDefault(Arrival.ELSEWHERE, List.of());
			}
		}
		if (!left.isEmpty()) {
			return Optional.empty();
		}
		this.epochCalls.carried(from,
				letters.stream().filter((letter) -> !staying.contains(letter.storedId())).toList());
		return Optional.of(staying);
	}

	/**
	 * Copies dead letters to the partitions of one epoch, and groups the dead letters by
	 * the result of the copy.
	 */
	private Map<Arrival, List<Carried>> copy(List<Carried> letters, Epoch epoch, Epochs epochs) {
		GroupSettings groups = this.queues.settings(epochs.queue()).groups();
		int quota = (groups.quota() > 0) ? groups.quota() : Integer.MAX_VALUE;
		int slots = groups.countDead() ? quota : 0;
		Map<Arrival, List<Carried>> copied = new EnumMap<>(Arrival.class);
		Map<Partition, List<Carried>> byPartition = letters.stream()
			.collect(Collectors.groupingBy((letter) -> home(letter, epochs.queue(), epoch)));
		byPartition.forEach((to, all) -> {
			List<Arrival> arrivals = this.epochCalls.carryIn(to, epochs, all, slots);
			for (int n = 0; n < arrivals.size(); n++) {
				copied.computeIfAbsent(arrivals.get(n), (absent) -> new ArrayList<>()).add(all.get(n));
			}
		});
		return copied;
	}

	/** Logs once which dead letters stay in the partition of the older epoch. */
	private void log(Partition from, Set<StoredId> staying) {
		Set<StoredId> logged = this.staying.getOrDefault(from, Set.of());
		if (!logged.containsAll(staying)) {
			logger.warn(staying.size() + " dead letters of partition " + from + " cannot move to the newer"
					+ " partitions, because other messages there have their ids. They can be neither redriven nor"
					+ " discarded, and the older partitions cannot end, until the other messages end or are"
					+ " cancelled. The first ones are " + staying.stream().limit(SHOWN).toList());
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
