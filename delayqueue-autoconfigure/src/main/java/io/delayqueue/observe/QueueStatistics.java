package io.delayqueue.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

import io.delayqueue.queue.Queues;
import io.delayqueue.store.CallRetry.Presence;
import io.delayqueue.store.Partition;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the queues that somebody asks for hold, as of a moment ago. Safe for use by
 * several threads.
 * <ol>
 * <li>Who asks gets what was counted last, as long as that is fresh: all gauges of one
 * scrape, and health, share one look.</li>
 * <li>Else one of those who ask looks, at all queues that were asked for lately, by one
 * call for each partition. The others get what was counted before and do not wait.</li>
 * <li>While Redis is known to be away nobody looks. What was counted before is kept for a
 * while, so that a Redis that blinks leaves no hole; then there is no answer.</li>
 * <li>In a cluster one node may be away: its queues come last. A call that is lost ends
 * the look if it has taken long, and the next one has to wait, so that who asks waits for
 * little more than one timeout of the Redis client.</li>
 * </ol>
 */
public final class QueueStatistics {

	/** For how long what was counted is fresh. */
	public static final Duration FRESH = Duration.ofSeconds(5);

	private static final Log logger = LogFactory.getLog(QueueStatistics.class);

	private static final long MICROS_PER_MILLI = 1000;

	private static final long LONG_LOOK_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long ASKED_LATELY_NANOS = Duration.ofMinutes(10).toNanos();

	// immutable

	private final Snapshots snapshots;

	private final Queues queues;

	private final Presence redis;

	private final long freshNanos;

	private final long keptNanos;

	private final LongSupplier clock;

	// shared and safe

	private final Map<String, Shelf> shelves = new ConcurrentHashMap<>();

	private final ReentrantLock looking = new ReentrantLock();

	// guarded by looking

	private boolean resting;

	private long restsUntil;

	/**
	 * Creates the stock; nothing is counted before it is asked for.
	 * @param snapshots counts what a partition holds
	 * @param queues knows how many partitions a queue has
	 * @param redis whether Redis may be called
	 * @param fresh for how long what was counted is fresh
	 * @param kept for how long it is kept when it cannot be counted again
	 */
	public QueueStatistics(Snapshots snapshots, Queues queues, Presence redis, Duration fresh, Duration kept) {
		this(snapshots, queues, redis, fresh, kept, System::nanoTime);
	}

	QueueStatistics(Snapshots snapshots, Queues queues, Presence redis, Duration fresh, Duration kept,
			LongSupplier clock) {
		this.snapshots = snapshots;
		this.queues = queues;
		this.redis = redis;
		this.freshNanos = fresh.toNanos();
		this.keptNanos = Math.max(fresh.toNanos(), kept.toNanos());
		this.clock = clock;
	}

	/**
	 * What a queue holds, over all its partitions, which are counted one after the other:
	 * the numbers need not add up.
	 *
	 * @param scheduled messages that wait, due or not
	 * @param parked messages that are due and wait because their group is at its limit
	 * @param overdue of the scheduled ones, those whose due time has passed
	 * @param ready messages in the stream that no consumer has yet
	 * @param pending messages that a consumer has
	 * @param dead dead letters
	 * @param overdueAge for how long the oldest one that no consumer has has been due: of
	 * those that are ready, since they became so; 0 if none is due
	 * @param pausedFor for how long the partition that was paused first has been paused;
	 * 0 if none is
	 * @param drainingFor for how long the partition that was told so first has accepted
	 * nothing new; 0 if all accept
	 */
	public record Stock(long scheduled, long parked, long overdue, long ready, long pending, long dead,
			Duration overdueAge, Duration pausedFor, Duration drainingFor) {

		/**
		 * Whether it is paused.
		 * @return whether any partition is
		 */
		public boolean paused() {
			return !this.pausedFor.isZero();
		}

		static Stock of(Collection<PartitionSnapshot> partitions) {
			return new Stock(sum(partitions, PartitionSnapshot::scheduled), sum(partitions, PartitionSnapshot::parked),
					sum(partitions, PartitionSnapshot::overdue), sum(partitions, PartitionSnapshot::ready),
					sum(partitions, PartitionSnapshot::pending), sum(partitions, PartitionSnapshot::dead),
					Duration.ofMillis(partitions.stream().mapToLong(Stock::waitingMillis).max().orElse(0)),
					longest(partitions, PartitionSnapshot::pausedSinceMillis),
					longest(partitions, PartitionSnapshot::drainingSinceMillis));
		}

		/** What began in this very millisecond lasts too. */
		private static Duration longest(Collection<PartitionSnapshot> partitions,
				ToLongFunction<PartitionSnapshot> sinceMillis) {
			return Duration.ofMillis(partitions.stream()
				.filter((partition) -> sinceMillis.applyAsLong(partition) > 0)
				.mapToLong((partition) -> Math.max(1,
						partition.nowMicros() / MICROS_PER_MILLI - sinceMillis.applyAsLong(partition)))
				.max()
				.orElse(0));
		}

		private static long waitingMillis(PartitionSnapshot partition) {
			return Math.max(partition.oldestOverdueMillis(), partition.oldestReadyMillis());
		}

		private static long sum(Collection<PartitionSnapshot> partitions, ToLongFunction<PartitionSnapshot> count) {
			return partitions.stream().mapToLong(count).sum();
		}

	}

	/**
	 * What a queue holds. Throws nothing.
	 * @param queue the queue's name; asked for lately, it is counted with the others
	 * @return its stock, or {@code null} if it is not known: Redis does not answer, or
	 * another thread counts it for the first time
	 */
	public @Nullable Stock of(String queue) {
		long now = this.clock.getAsLong();
		Shelf shelf = this.shelves.computeIfAbsent(queue, (name) -> new Shelf(name, now));
		shelf.askedAt = now;
		if (isToBeCounted(shelf, now) && this.looking.tryLock()) {
			try {
				look();
			}
			finally {
				this.looking.unlock();
			}
		}
		Counted counted = shelf.counted;
		return (counted != null && this.clock.getAsLong() - counted.at() < this.keptNanos) ? counted.stock() : null;
	}

	private boolean isToBeCounted(Shelf shelf, long now) {
		return !shelf.tried || now - shelf.triedAt >= this.freshNanos;
	}

	private void look() {
		long began = this.clock.getAsLong();
		if (this.resting && began - this.restsUntil < 0) {
			return;
		}
		this.resting = false;
		for (Shelf shelf : toBeCounted(began)) {
			if (!this.redis.await(0)) {
				return;
			}
			count(shelf);
			if (shelf.failed && this.clock.getAsLong() - began > LONG_LOOK_NANOS) {
				this.resting = true;
				this.restsUntil = this.clock.getAsLong() + this.freshNanos;
				return;
			}
		}
	}

	/**
	 * Those that could be counted the last time first, then who was tried longest ago.
	 */
	private List<Shelf> toBeCounted(long now) {
		return this.shelves.values()
			.stream()
			.filter((shelf) -> isToBeCounted(shelf, now) && now - shelf.askedAt < ASKED_LATELY_NANOS)
			.sorted(Comparator.comparing((Shelf shelf) -> shelf.failed)
				.thenComparingLong((shelf) -> shelf.triedAt - now))
			.toList();
	}

	private void count(Shelf shelf) {
		shelf.triedAt = this.clock.getAsLong();
		shelf.tried = true;
		try {
			List<PartitionSnapshot> partitions = new ArrayList<>();
			for (int number = 0; number < this.queues.settings(shelf.queue).partitions(); number++) {
				partitions.add(this.snapshots.of(new Partition(shelf.queue, number)));
			}
			shelf.counted = new Counted(Stock.of(partitions), this.clock.getAsLong());
			shelf.failed = false;
		}
		catch (RuntimeException failure) {
			if (failure instanceof StoreException lost && lost.isRedisLost()) {
				this.redis.lost(lost);
			}
			logger.debug("What queue '" + shelf.queue + "' holds could not be counted; it is tried again", failure);
			shelf.failed = true;
		}
	}

	/** What was counted, and when. */
	private record Counted(Stock stock, long at) {
	}

	/** One queue's place. Written by who looks, but for the time of the last question. */
	private static final class Shelf {

		private final String queue;

		private volatile long askedAt;

		private volatile boolean tried;

		private volatile long triedAt;

		private volatile boolean failed;

		private volatile @Nullable Counted counted;

		Shelf(String queue, long now) {
			this.queue = queue;
			this.triedAt = now;
		}

	}

}
