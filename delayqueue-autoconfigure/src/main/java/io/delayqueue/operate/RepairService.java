package io.delayqueue.operate;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.DelayQueueException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.RepairReport;
import io.delayqueue.store.Partition;
import io.delayqueue.store.Repairs;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Page;
import io.delayqueue.store.Repairs.Position;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Audits and repairs a queue when somebody asks for it, as the maintenance does by itself
 * where the queue is consumed. May run beside that, and several times at once. Safe for
 * use by several threads.
 */
public final class RepairService {

	/** So many pages of about 100 ids in a call. */
	static final int MOST_PAGES = 500;

	private final KnownPartitions known;

	private final Repairs repairs;

	private final RetryingCalls retryingCalls;

	private final Signals signals;

	private final QueueObserver observer;

	/**
	 * Creates the repair service.
	 * @param known knows the partitions of the queues
	 * @param repairs the side of Redis
	 * @param retryingCalls repeats calls
	 * @param signals the wake-ups of this process
	 * @param observer is told what was put right
	 */
	public RepairService(KnownPartitions known, Repairs repairs, RetryingCalls retryingCalls, Signals signals,
			QueueObserver observer) {
		this.known = known;
		this.repairs = repairs;
		this.retryingCalls = retryingCalls;
		this.signals = signals;
		this.observer = observer;
	}

	/**
	 * What a repair came to.
	 *
	 * @param messages how many messages were put right, by what was wrong with them
	 * @param next where to go on, {@code null} if every id has been looked at
	 */
	public record Repaired(Map<Damage, Integer> messages, @Nullable String next) {

		/**
		 * The messages with this damage.
		 * @param damage what was wrong
		 * @return how many they are
		 */
		public int count(Damage damage) {
			return this.messages.getOrDefault(damage, 0);
		}

	}

	/**
	 * Counts what must add up. Writes nothing; one script for each partition.
	 * @param queue the queue
	 * @return what each partition holds, in the order of their numbers
	 * @throws DelayQueueException if there is no such queue, or no answer
	 */
	public List<Counts> audit(String queue) {
		return this.known.of(queue)
			.stream()
			.map((partition) -> this.retryingCalls.ask(queue, () -> this.repairs.audit(partition)))
			.toList();
	}

	/**
	 * Puts right what is wrong, one partition after the other, until about 50,000 ids
	 * have been looked at. What was put right is told in the log and to the observer.
	 * @param queue the queue
	 * @param from where to go on, as the last call said; {@code null} to begin
	 * @return what it came to
	 * @throws InvalidMessageException if {@code from} breaks its rule
	 * @throws DelayQueueException if there is no such queue, or no answer
	 */
	public Repaired repair(String queue, @Nullable String from) {
		List<Partition> partitions = this.known.of(queue);
		RepairCursor cursor = RepairCursor.parse(from, partitions.size());
		Map<Damage, Integer> messages = new EnumMap<>(Damage.class);
		int number = cursor.partition();
		Position position = cursor.position();
		int pages = MOST_PAGES;
		while (number < partitions.size() && pages > 0) {
			Partition partition = partitions.get(number);
			RepairReport report = new RepairReport(partition);
			try {
				for (; !position.isEnd() && pages > 0; pages--) {
					position = repair(partition, position, report, messages);
				}
			}
			finally {
				report.log();
			}
			if (position.isEnd()) {
				position = Position.BEGIN;
				number++;
			}
		}
		return new Repaired(messages,
				(number < partitions.size()) ? new RepairCursor(number, position).toText() : null);
	}

	private Position repair(Partition partition, Position position, RepairReport report,
			Map<Damage, Integer> messages) {
		Page page = this.retryingCalls.ask(partition.queue(), () -> this.repairs.repair(partition, position));
		page.repaired().forEach((repaired) -> messages.merge(repaired.damage(), 1, Integer::sum));
		if (report.add(page.repaired(), this.observer)) {
			this.signals.due(partition.queue(), partition.number(), 0);
		}
		return page.next();
	}

}
