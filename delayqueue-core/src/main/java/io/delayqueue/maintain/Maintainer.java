package io.delayqueue.maintain;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Partition;
import io.delayqueue.store.Repairs;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the partitions of every queue that this process consumes.
 *
 * <p>
 * One timer thread starts the calls. They run on a small pool, one at a time for each
 * partition, so that an unresponsive node does not delay other partitions. Many processes
 * may maintain one partition: they do so at different times, and share the work.
 */
public final class Maintainer implements Signals.SweepSignals, AutoCloseable {

	private static final int MOST_CALLS_AT_ONCE = 4;

	private final TurnThreads threads = new TurnThreads("delayqueue-maintenance", MOST_CALLS_AT_ONCE);

	private final Tools tools;

	private final LoopRegistry loops;

	private final Map<String, List<PartitionMaintenance>> partitions = new ConcurrentHashMap<>();

	/**
	 * Creates a maintainer that starts when a consumer runs.
	 * @param settings how often it runs
	 * @param redis the Redis calls of the maintainer
	 * @param wakeUps the signals, the gate and the registry of this process
	 * @param observer is notified of repairs
	 */
	public Maintainer(MaintenanceSettings settings, Sides redis, WakeUps wakeUps, QueueObserver observer) {
		this.loops = wakeUps.loops();
		this.tools = new Tools(settings, redis, wakeUps.signals(), wakeUps.gate(), observer, this.threads);
		wakeUps.signals().register(this);
		wakeUps.gate().onOpen(() -> this.partitions.values().forEach((all) -> all.forEach(PartitionMaintenance::soon)));
	}

	/**
	 * The Redis calls of the maintainer.
	 *
	 * @param repairs finds and repairs damage
	 * @param leases lists and removes consumers
	 */
	public record Sides(Repairs repairs, Leases leases) {
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

	/** The parts that the maintenance of all partitions shares. */
	record Tools(MaintenanceSettings settings, Sides redis, Signals signals, RedisGate gate, QueueObserver observer,
			TurnThreads threads) {
	}

	@Override
	public void consuming(String queue, int partitions, int concurrency) {
		List<PartitionMaintenance> started = new ArrayList<>();
		for (int number = 0; number < partitions; number++) {
			PartitionMaintenance maintenance = new PartitionMaintenance(new Partition(queue, number), this.tools);
			started.add(maintenance);
			this.loops.add(maintenance, maintenance::status);
		}
		stop(this.partitions.put(queue, started));
		started.forEach(PartitionMaintenance::soon);
	}

	@Override
	public void notConsuming(String queue) {
		stop(this.partitions.remove(queue));
	}

	@Override
	public void due(String queue, int partition, long inNanos) {
		// Due messages need no maintenance
	}

	@Override
	public void close() {
		this.partitions.keySet().forEach(this::notConsuming);
		this.threads.close();
	}

	private void stop(@Nullable List<PartitionMaintenance> all) {
		if (all != null) {
			all.forEach(PartitionMaintenance::stop);
			all.forEach(this.loops::remove);
		}
	}

}
