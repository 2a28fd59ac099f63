package io.delayqueue.sweep;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.Partition;
import io.delayqueue.store.PartitionPeek;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;

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
public final class Sweeper implements Signals.SweepSignals, DisposableBean {

	private static final int MOST_CALLS_AT_ONCE = 16;

	private final TurnThreads threads = new TurnThreads("delayqueue-sweeper", MOST_CALLS_AT_ONCE);

	private final Tools tools;

	private final IdleCheck idleCheck;

	private final Queues queues;

	private final LoopRegistry loops;

	private final Map<String, List<PartitionSweep>> sweeps = new ConcurrentHashMap<>();

	/**
	 * Creates a sweeper that starts when a consumer runs.
	 * @param settings the settings of the sweeper
	 * @param sides the Redis calls of the sweeper
	 * @param queues the settings of the queues
	 * @param wakeUps the signals, the gate and the registry of this process
	 * @param observer is notified of moved messages
	 */
	public Sweeper(SweepSettings settings, Sides sides, Queues queues, WakeUps wakeUps, QueueObserver observer) {
		this.queues = queues;
		this.loops = wakeUps.loops();
		this.tools = new Tools(settings, sides.due(), wakeUps.signals(), wakeUps.gate(), observer, this.threads);
		this.idleCheck = new IdleCheck(sides.looks(), this.tools);
		wakeUps.signals().register(this);
		wakeUps.gate().onOpen(this::wakeUp);
	}

	/**
	 * The Redis calls of the sweeper.
	 *
	 * @param due moves due messages
	 * @param looks finds partitions that need no sweep
	 */
	public record Sides(DueMessages due, PartitionPeek looks) {
	}

	/**
	 * The parts through which the actors of this process interact.
	 *
	 * @param signals the wake-ups
	 * @param gate the gate to Redis
	 * @param loops the registry of background activities
	 */
	public record WakeUps(Signals signals, RedisGate gate, LoopRegistry loops) {
	}

	/** The parts that the sweeps of all partitions share. */
	record Tools(SweepSettings settings, DueMessages due, Signals signals, RedisGate gate, QueueObserver observer,
			TurnThreads threads) {
	}

	@Override
	public synchronized void consuming(String queue, int partitions, int concurrency) {
		SweepLimits limits = limits(this.queues.settings(queue).withConcurrency(concurrency));
		List<PartitionSweep> started = new ArrayList<>();
		for (int number = 0; number < partitions; number++) {
			PartitionSweep sweep = new PartitionSweep(new Partition(queue, number), limits, this.tools, this.idleCheck);
			started.add(sweep);
			this.loops.add(sweep, sweep::status);
		}
		stop(this.sweeps.put(queue, started));
		this.loops.add(this.idleCheck, this.idleCheck::status);
		started.forEach((sweep) -> sweep.dueIn(0));
	}

	@Override
	public synchronized void notConsuming(String queue) {
		stop(this.sweeps.remove(queue));
		if (this.sweeps.isEmpty()) {
			this.loops.remove(this.idleCheck);
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
	public void destroy() {
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
		return new SweepLimits(this.tools.settings().batchSize(), this.tools.settings().highWaterMark(settings),
				groups.limitOf("", settings.concurrency()), ofGroups);
	}

	private void stop(@Nullable List<PartitionSweep> all) {
		if (all != null) {
			all.forEach(PartitionSweep::stop);
			all.forEach(this.loops::remove);
		}
	}

}
