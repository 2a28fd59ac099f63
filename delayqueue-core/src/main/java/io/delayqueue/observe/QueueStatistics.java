package io.delayqueue.observe;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.CallRetry.Presence;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Counts the messages of requested queues by state, and caches the counts. Safe for use
 * by several threads.
 * <ol>
 * <li>While the last count of a queue is fresh, callers get this count, so that all
 * gauges of a scrape and the health indicator share it.</li>
 * <li>If the last count is not fresh, the first caller counts all queues without a fresh
 * count that were requested in the last 10 minutes, with one call to Redis for each
 * partition. Concurrent callers get the previous count and do not wait.</li>
 * <li>A count makes one more call to Redis while a queue has several epochs.</li>
 * <li>While Redis is known to be unavailable, no caller counts queues. During an outage
 * of Redis, the previous count is kept for a while, so that a short outage leaves no gap
 * in the gauges; after that time callers get no count.</li>
 * <li>Queues whose previous count failed are counted last, because a node of a cluster
 * may be unavailable. If a count fails after the caller has counted for more than 1
 * second, the caller stops counting, and the next count is delayed. So a caller waits
 * little longer than one timeout of the Redis client.</li>
 * </ol>
 */
public final class QueueStatistics implements AopInfrastructureBean {

	/** The time for which a count of a queue is fresh. */
	public static final Duration FRESH = Duration.ofSeconds(5);

	private static final Log logger = LogFactory.getLog(QueueStatistics.class);

	private static final long MICROS_PER_MILLI = 1000;

	private static final long LONG_ROUND_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long RECENTLY_REQUESTED_NANOS = Duration.ofMinutes(10).toNanos();

	// immutable

	private final Snapshots snapshots;

	private final Queues queues;

	private final QueueDirectory directory;

	private final Presence redis;

	private final long freshNanos;

	private final long keptNanos;

	private final LongSupplier clock;

	// shared and safe

	private final Map<String, Entry> cache = new ConcurrentHashMap<>();

	private final ReentrantLock counting = new ReentrantLock();

	// guarded by the lock named counting

	private boolean waiting;

	private long waitsUntil;

	/**
	 * Creates the statistics; a queue is counted when it is first requested.
	 * @param snapshots counts the contents of a partition
	 * @param queues the settings of the queues
	 * @param directory the queues in Redis, with their partitions
	 * @param redis reports whether Redis may be called
	 * @param fresh the time for which a count is fresh
	 * @param kept the time for which a count is kept if counting fails
	 */
	public QueueStatistics(Snapshots snapshots, Queues queues, QueueDirectory directory, Presence redis, Duration fresh,
			Duration kept) {
		this(snapshots, queues, directory, redis, fresh, kept, System::nanoTime);
	}

	QueueStatistics(Snapshots snapshots, Queues queues, QueueDirectory directory, Presence redis, Duration fresh,
			Duration kept, LongSupplier clock) {
		this.snapshots = snapshots;
		this.queues = queues;
		this.directory = directory;
		this.redis = redis;
		this.freshNanos = fresh.toNanos();
		this.keptNanos = Math.max(fresh.toNanos(), kept.toNanos());
		this.clock = clock;
	}

	/**
	 * The contents of a queue in all its partitions. The partitions are counted one after
	 * the other, so the numbers need not add up.
	 *
	 * @param scheduled scheduled messages, whether due or not
	 * @param parked due messages that wait because their group is at its limit
	 * @param overdue scheduled messages whose due time has passed
	 * @param ready messages in the stream that no consumer has read
	 * @param pending messages delivered to a consumer and not acknowledged
	 * @param dead dead letters
	 * @param overdueAge the longest time for which an overdue or ready message has been
	 * waiting for a handler; 0 if there is no such message
	 * @param pausedFor the longest time for which a partition has been paused; 0 for none
	 * @param drainingFor the longest time for which a partition has drained; 0 for none
	 * @param heldFor time until no partition is held any more; 0 if no partition is held
	 * @param heldGroups the number of groups with a hold
	 * @param recurringLate for how long the most overdue recurring schedule has been due
	 * without an occurrence; 0 if no schedule is overdue
	 */
	public record Stock(long scheduled, long parked, long overdue, long ready, long pending, long dead,
			Duration overdueAge, Duration pausedFor, Duration drainingFor, Duration heldFor, long heldGroups,
			Duration recurringLate) {

		/**
		 * Returns whether the queue is paused.
		 * @return whether any partition is paused
		 */
		public boolean paused() {
			return !this.pausedFor.isZero();
		}

		/**
		 * Returns whether the queue is paused or held.
		 * @return whether any partition is paused or held
		 */
		public boolean stopped() {
			return paused() || !this.heldFor.isZero();
		}

		static Stock of(Collection<PartitionSnapshot> partitions) {
			return new Stock(sum(partitions, PartitionSnapshot::scheduled), sum(partitions, PartitionSnapshot::parked),
					sum(partitions, PartitionSnapshot::overdue), sum(partitions, PartitionSnapshot::ready),
					sum(partitions, PartitionSnapshot::pending), sum(partitions, PartitionSnapshot::dead),
					Duration.ofMillis(partitions.stream().mapToLong(Stock::waitingMillis).max().orElse(0)),
					longest(partitions, PartitionSnapshot::pausedSinceMillis),
					longest(partitions, PartitionSnapshot::drainingSinceMillis),
					Duration.ofMillis(partitions.stream().mapToLong(Stock::heldMillis).max().orElse(0)),
					sum(partitions, PartitionSnapshot::heldGroups), Duration.ofMillis(
							partitions.stream().mapToLong(PartitionSnapshot::recurringLateMillis).max().orElse(0)));
		}

		/** Returns the longest time since a partition entered a state; 0 for none. */
		private static Duration longest(Collection<PartitionSnapshot> partitions,
				ToLongFunction<PartitionSnapshot> sinceMillis) {
			return Duration.ofMillis(partitions.stream()
				.filter((partition) -> sinceMillis.applyAsLong(partition) > 0)
				.mapToLong((partition) -> Math.max(1,
						partition.nowMicros() / MICROS_PER_MILLI - sinceMillis.applyAsLong(partition)))
				.max()
				.orElse(0));
		}

		private static long heldMillis(PartitionSnapshot partition) {
			return (partition.heldUntilMillis() > 0)
					? Math.max(1, partition.heldUntilMillis() - partition.nowMicros() / MICROS_PER_MILLI) : 0;
		}

		private static long waitingMillis(PartitionSnapshot partition) {
			return Math.max(partition.oldestOverdueMillis(), partition.oldestReadyMillis());
		}

		private static long sum(Collection<PartitionSnapshot> partitions, ToLongFunction<PartitionSnapshot> count) {
			return partitions.stream().mapToLong(count).sum();
		}

	}

	/**
	 * Returns the contents of a queue. Throws no exceptions.
	 * @param queue the queue's name; for the next 10 minutes the queue is counted
	 * together with the other requested queues
	 * @return the contents, {@code null} if the contents are unknown: Redis does not
	 * answer, or another thread is counting the queue for the first time
	 */
	public @Nullable Stock of(String queue) {
		long now = this.clock.getAsLong();
		Entry entry = this.cache.computeIfAbsent(queue, (name) -> new Entry(name, now));
		entry.requestedAt = now;
		if (isToBeCounted(entry, now) && this.counting.tryLock()) {
			try {
				countAll();
			}
			finally {
				this.counting.unlock();
			}
		}
		Counted counted = entry.counted;
		return (counted != null && this.clock.getAsLong() - counted.at() < this.keptNanos) ? counted.stock() : null;
	}

	private boolean isToBeCounted(Entry entry, long now) {
		return !entry.tried || now - entry.triedAt >= this.freshNanos;
	}

	private void countAll() {
		long startedAt = this.clock.getAsLong();
		if (this.waiting && startedAt - this.waitsUntil < 0) {
			return;
		}
		this.waiting = false;
		for (Entry entry : toBeCounted(startedAt)) {
			if (!this.redis.await(0)) {
				return;
			}
			count(entry);
			if (entry.failed && this.clock.getAsLong() - startedAt > LONG_ROUND_NANOS) {
				this.waiting = true;
				this.waitsUntil = this.clock.getAsLong() + this.freshNanos;
				return;
			}
		}
	}

	/**
	 * Returns the queues to count now: queues whose last count succeeded come first, then
	 * queues whose last count failed; in both parts the oldest count comes first.
	 */
	private List<Entry> toBeCounted(long now) {
		return this.cache.values()
			.stream()
			.filter((entry) -> isToBeCounted(entry, now) && now - entry.requestedAt < RECENTLY_REQUESTED_NANOS)
			.sorted(Comparator.comparing((Entry entry) -> entry.failed)
				.thenComparingLong((entry) -> entry.triedAt - now))
			.toList();
	}

	private void count(Entry entry) {
		entry.triedAt = this.clock.getAsLong();
		entry.tried = true;
		try {
			Epochs known = this.directory.find(this.queues.settings(entry.queue));
			Epochs epochs = (known.epochs().size() > 1) ? this.directory.refresh(known) : known;
			entry.counted = new Counted(Stock.of(snapshots(epochs)), this.clock.getAsLong());
			entry.failed = false;
		}
		catch (RuntimeException failure) {
			if (failure instanceof StoreException lost && lost.isRedisLost()) {
				this.redis.lost(lost);
			}
			logger.debug("The contents of queue '" + entry.queue + "' could not be counted; the count is retried",
					failure);
			entry.failed = true;
		}
	}

	/** Counts all partitions, and repeats the count if Redis has newer epochs. */
	private List<PartitionSnapshot> snapshots(Epochs epochs) {
		List<PartitionSnapshot> partitions = epochs.partitions().stream().map(this.snapshots::of).toList();
		if (partitions.get(partitions.size() - 1).closed()) {
			Epochs newer = this.directory.refresh(epochs);
			return newer.equals(epochs) ? partitions : snapshots(newer);
		}
		return partitions;
	}

	/** The contents of a queue, and the time at which the contents were counted. */
	private record Counted(Stock stock, long at) {
	}

	/** The cached count of a queue. All fields but requestedAt are set under the lock. */
	private static final class Entry {

		private final String queue;

		private volatile long requestedAt;

		private volatile boolean tried;

		private volatile long triedAt;

		private volatile boolean failed;

		private volatile @Nullable Counted counted;

		Entry(String queue, long now) {
			this.queue = queue;
			this.triedAt = now;
		}

	}

}
