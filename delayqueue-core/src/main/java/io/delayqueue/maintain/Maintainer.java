package io.delayqueue.maintain;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.ServerLimit;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Groups;
import io.delayqueue.store.History;
import io.delayqueue.store.Leases;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Repairs;
import io.delayqueue.store.Repairs.Counts;
import io.delayqueue.store.Repairs.Mismatch;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the partitions of every queue that this process consumes.
 *
 * <p>
 * Each partition has a task. Only a few of these tasks run at the same time for each
 * server of Redis, and an unresponsive server does not delay the partitions of others.
 * Only the owner of a partition (the first member in the order in which members sweep it)
 * maintains the partition. It does no harm if a partition has two owners, or no owner for
 * a while.
 */
public final class Maintainer implements Signals.QueueListener {

	private static final Log logger = LogFactory.getLog(Maintainer.class);

	/**
	 * The maximum number of calls with which one run removes old entries from the history
	 * of a partition, or token buckets of groups.
	 */
	private static final int TRIMS_OF_A_TURN = 100;

	private static final long SECOND_AUDIT_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** The most calls to one server at the same time. */
	private static final int MOST_CALLS_AT_ONCE = 4;

	private final TaskPool tasks;

	private final ServerLimit limit = new ServerLimit(MOST_CALLS_AT_ONCE);

	private final MaintenanceSettings settings;

	private final RedisCalls calls;

	private final Repairs repairs;

	private final Leases leases;

	private final History history;

	private final Groups groups;

	private final QueueDirectory directory;

	private final Fleet fleet;

	private final Wakeups wakeups;

	private final RedisGate gate;

	private final QueueObserver observer;

	private final Map<Partition, PartitionMaintenance> partitions = new ConcurrentHashMap<>();

	/**
	 * Creates a maintainer that works while this process consumes a queue.
	 * @param settings the intervals of the audit and of the repair
	 * @param calls makes the calls to Redis
	 * @param directory the queues in Redis
	 * @param signals reports which queues this process consumes
	 * @param fleet reports which partitions this process owns
	 * @param wakeups notifies the process that sweeps a partition
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param tasks runs the maintenance
	 * @param observer is notified of repairs
	 */
	public Maintainer(MaintenanceSettings settings, RedisCalls calls, QueueDirectory directory, Signals signals,
			Fleet fleet, Wakeups wakeups, RedisGate gate, TaskPool tasks, QueueObserver observer) {
		this.directory = directory;
		this.settings = settings;
		this.calls = calls;
		this.repairs = new Repairs(calls);
		this.leases = new Leases(calls);
		this.history = new History(calls);
		this.groups = new Groups(calls);
		this.fleet = fleet;
		this.wakeups = wakeups;
		this.gate = gate;
		this.tasks = tasks;
		this.observer = observer;
		signals.register(this);
		gate.onOpen(() -> this.partitions.values().forEach(PartitionMaintenance::soon));
	}

	@Override
	public synchronized void consuming(Epochs epochs) {
		stopIf((partition) -> partition.queue().equals(epochs.queue()) && !epochs.contains(partition));
		epochs.partitions().forEach((partition) -> {
			if (!this.partitions.containsKey(partition)) {
				PartitionMaintenance started = new PartitionMaintenance(partition);
				this.partitions.put(partition, started);
				started.soon();
			}
		});
	}

	@Override
	public synchronized void notConsuming(String queue) {
		stopIf((partition) -> partition.queue().equals(queue));
	}

	private void stopIf(Predicate<Partition> condition) {
		this.partitions.entrySet().removeIf((one) -> {
			boolean stops = condition.test(one.getKey());
			if (stops) {
				one.getValue().stop();
			}
			return stops;
		});
	}

	/**
	 * Returns an interval shortened by up to a quarter at random, so that processes do
	 * not all act at the same time, ns.
	 */
	static long jittered(Duration interval) {
		long nanos = interval.toNanos();
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
	}

	/**
	 * Maintains one partition.
	 * <ol>
	 * <li>The audit compares the counts of the partition's keys with each other, every
	 * minute. A mismatch in two consecutive audits starts a repair at once, unless the
	 * last repair has left the same mismatch; such a mismatch ends when the messages
	 * concerned are settled.</li>
	 * <li>The repair checks every message id of the partition, page by page. Even without
	 * a mismatch, the repair runs once in each interval, because two faults may hide each
	 * other from the audit.</li>
	 * <li>The janitor removes dead consumers without pending messages from the consumer
	 * group, if the group has several consumers.</li>
	 * <li>If the partition keeps a history of ended messages, the audit removes old
	 * entries from the history.</li>
	 * <li>The audit removes the token buckets of groups that are full, also if the queue
	 * has no rate any more.</li>
	 * </ol>
	 */
	private final class PartitionMaintenance {

		// immutable

		private final Partition partition;

		private final Task task;

		// accessed only by the task; any thread may request a repair

		private final PartitionRepair repair;

		// accessed only by the task

		private long nextCleaningNanos;

		private boolean suspicious;

		private boolean repaired;

		private @Nullable Mismatch toleratedMismatch;

		PartitionMaintenance(Partition partition) {
			this.partition = partition;
			this.repair = new PartitionRepair(partition, Maintainer.this.settings.interval(), Maintainer.this.repairs,
					Maintainer.this.wakeups, Maintainer.this.observer);
			this.nextCleaningNanos = System.nanoTime();
			this.task = Maintainer.this.tasks.task("delayqueue-maintain-" + partition, Maintainer.this.limit,
					() -> Maintainer.this.calls.server(partition), () -> Maintainer.this.gate
						.run(() -> Pause.of(work()), () -> jittered(Maintainer.this.settings.auditInterval())));
		}

		void stop() {
			this.task.stop();
		}

		/**
		 * Requests a repair soon, at a random time, so that processes do not all begin at
		 * the same time.
		 */
		void soon() {
			this.repair.request();
			long nanos = Maintainer.this.settings.auditInterval().toNanos();
			this.task.dueIn(nanos / 4 + ThreadLocalRandom.current().nextLong(nanos));
		}

		private long work() {
			try {
				if (!Maintainer.this.fleet.isOwner(this.partition)) {
					// Postpone the repair, so that this process does not begin with a
					// repair when it becomes the owner
					this.repair.postpone();
					return untilNext();
				}
				return this.repair.isDue() ? repair() : audit();
			}
			catch (StoreException failure) {
				this.repair.abort();
				throw failure;
			}
		}

		private long repair() {
			long rest = this.repair.repairPages();
			if (rest > 0) {
				return rest;
			}
			this.repaired = this.repair.report() || this.suspicious;
			this.suspicious = false;
			return this.repaired ? SECOND_AUDIT_NANOS : untilNext();
		}

		private long audit() {
			Counts counts = Maintainer.this.repairs.audit(this.partition);
			Mismatch mismatch = counts.mismatch();
			removeDeadConsumers(counts.consumers());
			if (counts.remembers()) {
				trimHistory();
			}
			if (counts.buckets() > 0) {
				trimRates();
			}
			if (counts.hasRecurring()) {
				// Mark again that the queue has recurring schedules, because a failover
				// of Redis may have lost the mark
				Maintainer.this.directory.recurring().mark(this.partition.queue());
			}
			if (mismatch.isNone()) {
				this.toleratedMismatch = null;
				this.suspicious = false;
			}
			else if (this.repaired) {
				this.toleratedMismatch = mismatch;
				logger.debug("Partition " + this.partition
						+ " was repaired; the remaining mismatch ends when its messages are settled: " + mismatch);
			}
			else if (!mismatch.equals(this.toleratedMismatch)) {
				if (this.suspicious) {
					logger.warn("The counts of partition " + this.partition + " do not add up: " + counts
							+ "; repairing it now");
					this.repair.request();
					return 0;
				}
				this.suspicious = true;
				return SECOND_AUDIT_NANOS + ThreadLocalRandom.current().nextLong(SECOND_AUDIT_NANOS);
			}
			this.repaired = false;
			return untilNext();
		}

		private void trimHistory() {
			for (int n = 0; n < TRIMS_OF_A_TURN && Maintainer.this.history.trim(this.partition); n++) {
				logger.debug("The history of partition " + this.partition + " may have more messages to remove");
			}
		}

		private void trimRates() {
			for (int n = 0; n < TRIMS_OF_A_TURN && Maintainer.this.groups.trimRates(this.partition); n++) {
				logger.debug("The groups of partition " + this.partition + " may have more full token buckets");
			}
		}

		private void removeDeadConsumers(long consumers) {
			if (consumers > 1 && System.nanoTime() - this.nextCleaningNanos >= 0) {
				this.nextCleaningNanos = System.nanoTime() + jittered(Maintainer.this.settings.interval());
				int removed = Maintainer.this.leases.removeConsumers(this.partition, "");
				if (removed > 0) {
					logger.info("Removed " + removed + " dead consumers without pending messages of partition "
							+ this.partition);
				}
			}
		}

		private long untilNext() {
			return Math.min(this.repair.leftNanos(), jittered(Maintainer.this.settings.auditInterval()));
		}

	}

}
