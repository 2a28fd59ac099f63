package io.delayqueue.sweep;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Signals.ReadySignals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.Due;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.Partition;
import io.delayqueue.store.PartitionPeek;
import io.delayqueue.store.RedisCalls;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps the partitions of every queue that this process consumes.
 *
 * <p>
 * One timer thread starts the calls. They run on a small pool, one at a time for each
 * partition, so that an unresponsive node does not delay other partitions. A partition is
 * swept when its next message is due, when a signal or a hint reports an earlier message,
 * when Redis answers again, and at the latest after the interval, so that nothing depends
 * on a signal. An idle partition is checked together with other idle ones instead. Many
 * processes may sweep one partition; each message moves once.
 */
public final class Sweeper implements Signals.SweepSignals, AutoCloseable {

	private static final int MOST_CALLS_AT_ONCE = 16;

	/** The most full batches in a turn; then other partitions get a turn. */
	private static final int BATCHES_OF_A_TURN = 20;

	/**
	 * The wait before the next sweep when the stream was full; doubled while it stays
	 * full.
	 */
	private static final long FULL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LONGEST_FULL_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(160);

	private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

	private final TurnThreads threads;

	private final SweepSettings settings;

	private final DueMessages due;

	private final Queues queues;

	private final Signals signals;

	private final RedisGate gate;

	private final QueueObserver observer;

	private final IdleCheck idleCheck;

	private final Map<String, List<PartitionSweep>> sweeps = new ConcurrentHashMap<>();

	/**
	 * Creates a sweeper that starts when a consumer runs.
	 * @param settings the settings of the sweeper
	 * @param calls the access to Redis
	 * @param queues the settings of the queues
	 * @param signals the wake-ups of this process
	 * @param gate the gate to Redis
	 * @param loops the registry of background activities
	 * @param observer is notified of moved messages
	 */
	public Sweeper(SweepSettings settings, RedisCalls calls, Queues queues, Signals signals, RedisGate gate,
			LoopRegistry loops, QueueObserver observer) {
		this.settings = settings;
		this.due = new DueMessages(calls);
		this.queues = queues;
		this.signals = signals;
		this.gate = gate;
		this.threads = new TurnThreads("delayqueue-sweeper", MOST_CALLS_AT_ONCE, loops);
		this.observer = observer;
		this.idleCheck = new IdleCheck(new PartitionPeek(calls), settings, signals, gate, this.threads);
		signals.register(this);
		gate.onOpen(this::wakeUp);
	}

	@Override
	public synchronized void consuming(String queue, int partitions, int concurrency) {
		SweepLimits limits = limits(this.queues.settings(queue).withConcurrency(concurrency));
		List<PartitionSweep> started = new ArrayList<>();
		for (int number = 0; number < partitions; number++) {
			started.add(new PartitionSweep(new Partition(queue, number), limits));
		}
		stop(this.sweeps.put(queue, started));
		this.idleCheck.start();
		started.forEach((sweep) -> sweep.dueIn(0));
	}

	@Override
	public synchronized void notConsuming(String queue) {
		stop(this.sweeps.remove(queue));
		if (this.sweeps.isEmpty()) {
			this.idleCheck.stop();
		}
	}

	@Override
	public void due(String queue, int partition, long inNanos) {
		List<PartitionSweep> all = this.sweeps.get(queue);
		if (all != null && partition >= 0 && partition < all.size()) {
			all.get(partition).dueIn(inNanos);
		}
	}

	@Override
	public void close() {
		this.sweeps.keySet().forEach(this::notConsuming);
		this.idleCheck.stop();
		this.threads.close();
	}

	private void wakeUp() {
		this.sweeps.values().forEach((all) -> all.forEach((sweep) -> sweep.dueIn(0)));
		this.idleCheck.wakeUp();
	}

	private SweepLimits limits(QueueSettings settings) {
		GroupSettings groups = settings.groups();
		Map<String, Integer> ofGroups = new HashMap<>();
		groups.overrides()
			.keySet()
			.forEach((group) -> ofGroups.put(group, groups.limitOf(group, settings.concurrency())));
		return new SweepLimits(this.settings.batchSize(), this.settings.highWaterMark(settings),
				groups.limitOf("", settings.concurrency()), ofGroups);
	}

	private void stop(@Nullable List<PartitionSweep> all) {
		if (all != null) {
			all.forEach(PartitionSweep::stop);
		}
	}

	/**
	 * Sweeps one partition. After each turn the next one is at the next due time or after
	 * the interval, whichever is earlier. An idle partition is checked together with
	 * other idle ones instead.
	 */
	final class PartitionSweep {

		// immutable

		private final Partition partition;

		private final SweepLimits limits;

		private final RecurringTurn turn;

		// shared and safe

		private volatile boolean stopped;

		// confined to the turn

		private long fullWaitNanos = FULL_WAIT_NANOS;

		/** The time until when this sweep makes no calls, even if there are signals. */
		private long restUntil = System.nanoTime();

		/** The group after which the search for parked messages continues. */
		private String behind = "";

		PartitionSweep(Partition partition, SweepLimits limits) {
			this.partition = partition;
			this.limits = limits;
			this.turn = Sweeper.this.threads.turn("The sweep of partition " + partition, this::turn);
		}

		Partition partition() {
			return this.partition;
		}

		void stop() {
			this.stopped = true;
			this.turn.stop();
			Sweeper.this.idleCheck.leave(this);
		}

		/** Whether the sweep was stopped; a turn may still run. */
		boolean isStopped() {
			return this.stopped;
		}

		/**
		 * Requests a turn.
		 * @param nanos the time from now, ns
		 */
		void dueIn(long nanos) {
			this.turn.dueIn(nanos);
		}

		private long turn() {
			return Sweeper.this.gate.turn(() -> {
				long rest = this.restUntil - System.nanoTime();
				if (rest > 0) {
					return rest;
				}
				Sweeper.this.idleCheck.leave(this);
				return sweep();
			}, this::interval);
		}

		/**
		 * Sweeps until nothing is due; returns the time until messages may be due, ns.
		 */
		private long sweep() {
			for (int batch = 0; batch < BATCHES_OF_A_TURN; batch++) {
				if (!Sweeper.this.gate.isOpen()) {
					return interval();
				}
				long askedNanos = System.nanoTime();
				Swept swept = Sweeper.this.due.sweep(this.partition, this.limits, this.behind);
				long tookNanos = System.nanoTime() - askedNanos;
				this.behind = swept.behind();
				if (swept.moved() > 0) {
					Sweeper.this.observer.swept(this.partition.queue(), swept.moved());
				}
				ReadySignals consumer = Sweeper.this.signals.consumer(this.partition.queue());
				consumer.paused(this.partition.number(), swept.paused());
				if (swept.lag() > 0 && !swept.paused()) {
					consumer.ready(this.partition.number());
				}
				if (swept.isGroupBacklog()) {
					return rest(swept, Math.min(tookNanos, LONGEST_REST_NANOS));
				}
				if (swept.moved() + swept.parked() < this.limits.batchSize() && !swept.more()) {
					return wait(swept, tookNanos);
				}
			}
			return 0;
		}

		private long wait(Swept swept, long tookNanos) {
			long interval = interval();
			if (swept.paused()) {
				return interval;
			}
			long wait = (swept.nextDueMillis() < 0) ? Long.MAX_VALUE : untilDue(swept);
			if (wait > interval && swept.lag() == 0 && Sweeper.this.idleCheck.join(this)) {
				return Math.min(wait, SweepSettings.spread(Signals.LONGEST_QUIET));
			}
			if (wait > 0) {
				// Counted from the begin of the call: the next call takes about as long
				return Math.min(Math.max(1, wait - tookNanos), interval);
			}
			this.fullWaitNanos = (swept.moved() + swept.parked() > 0) ? FULL_WAIT_NANOS
					: Math.min(2 * this.fullWaitNanos, LONGEST_FULL_WAIT_NANOS);
			return this.fullWaitNanos;
		}

		/**
		 * After parking a large backlog, yields Redis for as long as the call took, but
		 * never past the next due time.
		 */
		private long rest(Swept swept, long nanos) {
			long rest = (swept.nextDueMillis() < 0) ? nanos : Math.min(nanos, untilDue(swept));
			this.restUntil = System.nanoTime() + rest;
			return rest;
		}

		private static long untilDue(Swept swept) {
			return Due.leftNanos(swept.nextDueMillis(), swept.nowMicros());
		}

		private long interval() {
			return Sweeper.this.settings.spreadInterval();
		}

	}

}
