package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.store.PartitionPeek;
import io.delayqueue.store.PartitionPeek.Peeked;
import io.delayqueue.store.PartitionPeek.State;
import io.delayqueue.store.RedisCalls;
import org.jspecify.annotations.Nullable;

/**
 * Checks idle partitions together, once per interval and when a turn begins, so that an
 * idle queue costs next to nothing. The checked partitions are those of which this
 * process has the turn and, less often, those that it owns: a check of an owned partition
 * replaces a search for messages to reclaim. When a partition is no longer idle, its
 * reader sweeps it at once.
 */
public final class PartitionWatch implements Signals.QueueListener, AutoCloseable {

	private final PartitionPeek partitionPeek;

	private final SweepSettings settings;

	private final Signals signals;

	private final RedisGate gate;

	private final TurnThreads threads;

	/** {@code null} while this process consumes nothing. */
	private volatile @Nullable RecurringTurn turn;

	private final Fleet fleet;

	private final Map<Partition, Idle> idle = new ConcurrentHashMap<>();

	/**
	 * Creates a watch over no partitions.
	 * @param settings how often to check
	 * @param calls the access to Redis
	 * @param signals the wake-ups of this process
	 * @param fleet whose turn it is
	 * @param gate the gate to Redis
	 * @param loops the registry of background activities
	 */
	public PartitionWatch(SweepSettings settings, RedisCalls calls, Signals signals, Fleet fleet, RedisGate gate,
			LoopRegistry loops) {
		this.partitionPeek = new PartitionPeek(calls);
		this.settings = settings;
		this.signals = signals;
		this.fleet = fleet;
		this.gate = gate;
		this.threads = new TurnThreads("delayqueue-watch", 1, loops);
		signals.register(this);
		gate.onOpen(() -> checkIn(0));
		fleet.onChange(this::membersChanged);
	}

	/**
	 * How often a partition is checked, and how much a sweep moves.
	 * @return the settings
	 */
	public SweepSettings settings() {
		return this.settings;
	}

	/**
	 * An idle partition.
	 *
	 * @param checkedNanos when it was checked last
	 * @param ownersNanos how often its owner checks it, ns
	 */
	private record Idle(long checkedNanos, long ownersNanos) {

		Idle checked(long nanos) {
			return new Idle(nanos, this.ownersNanos);
		}

		boolean isDueForOwner() {
			return System.nanoTime() - this.checkedNanos > this.ownersNanos;
		}

	}

	/**
	 * Adds a partition.
	 * @param partition the partition, which this process consumes
	 * @param ownersNanos how often its owner checks it while other members have the turn,
	 * ns
	 * @return whether it was added; {@code false} where partitions cannot be checked
	 * together
	 */
	public boolean join(Partition partition, long ownersNanos) {
		if (!this.partitionPeek.isPossible()) {
			return false;
		}
		this.idle.putIfAbsent(partition, new Idle(System.nanoTime(), ownersNanos));
		checkIn(nextNanos());
		return true;
	}

	/**
	 * Removes a partition: its reader sweeps it.
	 * @param partition the partition
	 */
	public void leave(Partition partition) {
		this.idle.remove(partition);
	}

	/**
	 * Turns may have changed: partitions that wait for a turn are checked now or soon.
	 */
	private void membersChanged(Collection<Epochs> queues) {
		checkIn(0);
		queues.stream()
			.flatMap((epochs) -> epochs.partitions().stream())
			.filter((partition) -> !this.idle.containsKey(partition))
			.forEach((partition) -> this.signals.due(partition, this.settings.spreadInterval()));
	}

	@Override
	public synchronized void consuming(Epochs epochs) {
		if (this.turn == null) {
			this.turn = this.threads.turn("The check of idle partitions", this::turn);
		}
	}

	@Override
	public synchronized void notConsuming(String queue) {
		this.idle.keySet().removeIf((partition) -> partition.queue().equals(queue));
		if (this.turn != null && this.signals.consumed().isEmpty()) {
			this.turn.stop();
			this.turn = null;
		}
	}

	private void checkIn(long nanos) {
		RecurringTurn started = this.turn;
		if (started != null) {
			started.dueIn(nanos);
		}
	}

	@Override
	public void close() {
		this.threads.close();
	}

	private long turn() {
		if (!this.gate.isOpen()) {
			return BackgroundLoop.untried(this.settings.spreadInterval());
		}
		// A reader that ended during its last call may have added its partition again
		this.idle.keySet().removeIf((partition) -> !this.signals.consumes(partition));
		List<Partition> all = new ArrayList<>();
		this.idle.forEach((partition, idle) -> {
			if (this.fleet.hasTurn(partition) || (idle.isDueForOwner() && this.fleet.isOwner(partition))) {
				all.add(partition);
			}
		});
		RuntimeException failed = null;
		for (List<Partition> batch : this.partitionPeek.calls(all)) {
			try {
				check(batch);
			}
			catch (RuntimeException failure) {
				failed = failure;
				sweepEach(batch, failure);
			}
		}
		if (failed != null && this.partitionPeek.isPossible()) {
			throw failed;
		}
		return this.idle.isEmpty() ? Signals.LONGEST_QUIET.toNanos() : nextNanos();
	}

	private long nextNanos() {
		return this.fleet.nextCheckNanos(this.idle.keySet(), this.settings.spreadInterval());
	}

	private void check(List<Partition> partitions) {
		long askedNanos = System.nanoTime();
		List<Peeked> peeked = this.partitionPeek.peek(partitions);
		partitions
			.forEach((partition) -> this.idle.computeIfPresent(partition, (same, idle) -> idle.checked(askedNanos)));
		for (int i = 0; i < peeked.size(); i++) {
			apply(partitions.get(i), peeked.get(i), askedNanos);
		}
	}

	/**
	 * Makes each reader check its own partition. Not while Redis is unreachable: the gate
	 * wakes all readers when Redis answers again.
	 */
	private void sweepEach(List<Partition> partitions, RuntimeException failure) {
		if (!this.gate.failed(failure)) {
			partitions.forEach((partition) -> this.signals.due(partition, 0));
		}
	}

	private void apply(Partition partition, Peeked peeked, long askedNanos) {
		if (peeked.state() == State.BUSY) {
			this.signals.due(partition, 0);
			return;
		}
		if (peeked.dueInMicros() >= 0) {
			this.signals.due(partition, TimeUnit.MICROSECONDS.toNanos(peeked.dueInMicros()));
		}
		if (peeked.state() == State.EMPTY) {
			this.signals.consumer(partition.queue()).empty(partition, askedNanos);
		}
	}

}
