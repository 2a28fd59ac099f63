package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.SweepSettings;
import io.delayqueue.store.PartitionPeek;
import io.delayqueue.store.PartitionPeek.Peeked;
import io.delayqueue.store.PartitionPeek.State;
import io.delayqueue.store.RedisCalls;

/**
 * Checks many idle partitions in one call to Redis, so that idle queues need few calls.
 * Each server of a cluster has a check of its own, which waits for no other server. The
 * checks run once per interval, and whenever the turn to sweep passes to another process.
 * A process checks the partitions that it sweeps now and, less often, the partitions that
 * it owns: the check of an owned partition replaces a search for messages to reclaim.
 * When a partition is no longer idle, its reader in this process sweeps the partition at
 * once.
 */
public final class PartitionWatch implements Signals.QueueListener {

	private final PartitionPeek partitionPeek;

	private final SweepSettings settings;

	private final Signals signals;

	private final RedisGate gate;

	private final TaskPool tasks;

	private final RedisCalls calls;

	private final Fleet fleet;

	private final Map<Partition, Idle> idle = new ConcurrentHashMap<>();

	/**
	 * The tasks that check idle partitions, by the server that they call; none while this
	 * process consumes no queue.
	 */
	private final Map<String, Task> checks = new ConcurrentHashMap<>();

	/**
	 * Creates a watch that does not check any partition yet.
	 * @param settings the interval of the checks
	 * @param calls makes the calls to Redis
	 * @param signals the signals between actors of this process
	 * @param fleet decides which partitions this process sweeps and owns
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param tasks runs the checks
	 */
	public PartitionWatch(SweepSettings settings, RedisCalls calls, Signals signals, Fleet fleet, RedisGate gate,
			TaskPool tasks) {
		this.calls = calls;
		this.partitionPeek = new PartitionPeek(calls);
		this.settings = settings;
		this.signals = signals;
		this.fleet = fleet;
		this.gate = gate;
		this.tasks = tasks;
		signals.register(this);
		gate.onOpen(() -> checkIn(0));
		fleet.onChange(this::membersChanged);
	}

	/**
	 * {@return the settings of checks of idle partitions and of sweeps}
	 */
	public SweepSettings settings() {
		return this.settings;
	}

	/**
	 * An idle partition.
	 *
	 * @param checkedNanos when the partition was last checked
	 * @param ownersNanos the time between two checks by the owner of the partition, ns
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
	 * Adds an idle partition to the partitions that this watch checks.
	 * @param partition the partition, which this process consumes
	 * @param ownersNanos the time between two checks by the owner of the partition while
	 * other members have the turn to sweep, ns
	 * @return {@code false} if Redis refuses to check several partitions in one call, so
	 * that the partition was not added
	 */
	public boolean join(Partition partition, long ownersNanos) {
		if (!this.partitionPeek.isPossible()) {
			return false;
		}
		this.idle.putIfAbsent(partition, new Idle(System.nanoTime(), ownersNanos));
		checkIn(this.calls.server(partition), nextNanos(this.idle.keySet()));
		return true;
	}

	/**
	 * Removes a partition from the partitions that this watch checks, because its reader
	 * sweeps the partition again.
	 * @param partition the partition
	 */
	public void leave(Partition partition) {
		this.idle.remove(partition);
	}

	/** Checks all idle partitions soon, because the turns to sweep may have changed. */
	private void membersChanged(Collection<Epochs> queues) {
		checkIn(0);
		queues.stream()
			.flatMap((epochs) -> epochs.partitions().stream())
			.filter((partition) -> !this.idle.containsKey(partition))
			.forEach((partition) -> this.signals.due(partition, nextNanos(Set.of(partition))));
	}

	@Override
	public void consuming(Epochs epochs) {
		// The first idle partition of a server starts the task that checks them
	}

	@Override
	public synchronized void notConsuming(String queue) {
		this.idle.keySet()
			.removeIf((partition) -> partition.queue().equals(queue) && !this.signals.consumes(partition));
		if (this.signals.consumed().isEmpty()) {
			this.checks.values().forEach(Task::stop);
			this.checks.clear();
		}
	}

	/** Checks the idle partitions of all servers soon. */
	private void checkIn(long nanos) {
		servers().forEach((server) -> checkIn(server, nanos));
	}

	private synchronized void checkIn(String server, long nanos) {
		if (!this.signals.consumed().isEmpty()) {
			this.checks.computeIfAbsent(server, this::check).dueIn(nanos);
		}
	}

	private Task check(String server) {
		return this.tasks.task("delayqueue-watch" + (server.isEmpty() ? "" : "-" + server), () -> checkAll(server));
	}

	/** Returns the servers that have the idle partitions. */
	private Set<String> servers() {
		return this.idle.keySet().stream().map(this.calls::server).collect(Collectors.toSet());
	}

	private Pause checkAll(String server) {
		if (!this.gate.isOpen()) {
			return Pause.untried(this.settings.spreadInterval());
		}
		// Take the time of the change before the turns are read: if the turns change
		// during this check, the next check follows at once
		long startedAt = System.nanoTime();
		long left = this.fleet.turnLeftNanos(this.idle.keySet());
		if (left < Roster.MARGIN_NANOS) {
			// The turns are about to change: check the partitions of the new turns only
			return Pause.untried(left);
		}
		// A reader that was stopped during its last call to Redis may have added its
		// partition again
		this.idle.keySet().removeIf((partition) -> !this.signals.consumes(partition));
		List<Partition> all = new ArrayList<>();
		Set<String> moved = new HashSet<>();
		this.idle.forEach((partition, idle) -> {
			String current = this.calls.server(partition);
			if (!current.equals(server)) {
				moved.add(current);
			}
			else if (this.fleet.hasTurn(partition) || (idle.isDueForOwner() && this.fleet.isOwner(partition))) {
				all.add(partition);
			}
		});
		// The partition of a moved slot may be the first one of its new server
		moved.stream().filter((other) -> !this.checks.containsKey(other)).forEach((other) -> checkIn(other, 0));
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
		left = Math.max(1, left - (System.nanoTime() - startedAt));
		boolean isIdle = this.idle.keySet()
			.stream()
			.noneMatch((partition) -> this.calls.server(partition).equals(server));
		return Pause.of(isIdle ? this.settings.spreadInterval() : Math.min(left, nextNanos(this.idle.keySet())));
	}

	private long nextNanos(Collection<Partition> partitions) {
		return this.fleet.nextCheckNanos(partitions, this.settings.spreadInterval());
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
	 * Makes the reader of each partition sweep its partition, unless Redis is
	 * unreachable. In that case the gate wakes all readers when Redis answers again.
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
