package io.delayqueue.operate;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.DelayQueueException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.RepairReport;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Repairs;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Page;
import io.delayqueue.store.Repairs.Position;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Audits and repairs a queue when an operator requests it. The processes that consume the
 * queue do the same periodically. Several repairs of a queue may run at the same time.
 * This class is thread-safe.
 */
public final class RepairService {

	/**
	 * How many pages, of about 100 message ids each, one call of {@link #repair} checks
	 * at most.
	 */
	static final int MOST_PAGES = 500;

	private final KnownPartitions known;

	private final Repairs repairs;

	private final RetryingCalls retryingCalls;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	/**
	 * Creates the repair service of one process.
	 * @param calls the access to Redis
	 * @param directory the directory of queues and their partition counts
	 * @param retryingCalls repeats failed calls to Redis
	 * @param wakeups notifies the process that sweeps a partition
	 * @param observer is notified of repaired and lost messages
	 */
	public RepairService(RedisCalls calls, QueueDirectory directory, RetryingCalls retryingCalls, Wakeups wakeups,
			QueueObserver observer) {
		this.known = new KnownPartitions(directory, retryingCalls);
		this.repairs = new Repairs(calls);
		this.retryingCalls = retryingCalls;
		this.wakeups = wakeups;
		this.observer = observer;
	}

	/**
	 * The result of one call of {@link RepairService#repair}.
	 *
	 * @param messages the number of repaired messages by kind of damage
	 * @param next the cursor for the next call, {@code null} if all message ids of the
	 * queue have been checked
	 */
	public record Repaired(Map<Damage, Integer> messages, @Nullable String next) {

		/**
		 * Returns the number of repaired messages that had the given kind of damage.
		 * @param damage the kind of damage
		 * @return the number of messages, 0 or more
		 */
		public int count(Damage damage) {
			return this.messages.getOrDefault(damage, 0);
		}

	}

	/**
	 * Counts the records, the messages in each state and the stream entries of each
	 * partition; in an undamaged partition these counts agree. An audit writes nothing,
	 * and costs one call of a script for each partition.
	 * @param queue the queue
	 * @return the counts of each partition, in the order of their numbers
	 * @throws DelayQueueException if no process has used the queue, or Redis did not
	 * answer
	 */
	public List<Counts> audit(String queue) {
		return this.known.of(queue)
			.stream()
			.map((partition) -> this.retryingCalls.call(queue, () -> this.repairs.audit(partition)))
			.toList();
	}

	/**
	 * Repairs the messages of a queue, one partition after the other, until about 50,000
	 * message ids have been checked. Repairs are logged and reported to the observer.
	 * @param queue the queue
	 * @param from the cursor that the previous call returned; {@code null} to begin with
	 * the first partition
	 * @return the repaired messages, and the cursor for the next call
	 * @throws InvalidMessageException if {@code from} is invalid
	 * @throws DelayQueueException if no process has used the queue, or Redis did not
	 * answer
	 */
	public Repaired repair(String queue, @Nullable String from) {
		List<Partition> partitions = this.known.of(queue);
		String list = queue + "\nrepair";
		Cursor<Position> cursor = (from == null) ? new Cursor<>(0, 0, Position.BEGIN) : Cursor.parse(from,
				"repair of the queue", list, (bytes) -> Position.parse(new String(bytes, StandardCharsets.UTF_8)));
		Map<Damage, Integer> messages = new EnumMap<>(Damage.class);
		List<Partition> left = partitions.stream().filter(cursor::reaches).toList();
		Position position = left.isEmpty() ? Position.BEGIN : cursor.positionIn(left.get(0), Position.BEGIN);
		int at = 0;
		int pages = MOST_PAGES;
		while (at < left.size() && pages > 0) {
			Partition partition = left.get(at);
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
				at++;
			}
		}
		return new Repaired(messages, (at < left.size()) ? text(list, left.get(at), position) : null);
	}

	private static String text(String list, Partition partition, Position position) {
		return Cursor.text(list, partition, position.toString().getBytes(StandardCharsets.UTF_8));
	}

	private Position repair(Partition partition, Position position, RepairReport report,
			Map<Damage, Integer> messages) {
		Page page = this.retryingCalls.call(partition.queue(), () -> this.repairs.repair(partition, position));
		page.repaired().forEach((repaired) -> messages.merge(repaired.damage(), 1, Integer::sum));
		if (report.add(page.repaired(), this.observer)) {
			this.wakeups.due(partition, 0);
		}
		return page.next();
	}

}
