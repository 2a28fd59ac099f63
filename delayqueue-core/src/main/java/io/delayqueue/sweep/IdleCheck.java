package io.delayqueue.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TurnThreads;
import io.delayqueue.store.PartitionPeek;
import io.delayqueue.store.PartitionPeek.Peeked;
import io.delayqueue.store.PartitionPeek.State;
import io.delayqueue.sweep.Sweeper.PartitionSweep;
import org.jspecify.annotations.Nullable;

/**
 * Checks all idle partitions together, once per interval, so that an idle queue costs
 * next to nothing. A partition that is not idle any more is swept at once. The consumer
 * of an empty partition is notified, so that it can skip its own check.
 */
final class IdleCheck {

	private final PartitionPeek partitionPeek;

	private final SweepSettings settings;

	private final Signals signals;

	private final RedisGate gate;

	private final TurnThreads threads;

	/** {@code null} while no queue is swept. */
	private volatile @Nullable RecurringTurn turn;

	private final Set<PartitionSweep> idle = ConcurrentHashMap.newKeySet();

	IdleCheck(PartitionPeek partitionPeek, SweepSettings settings, Signals signals, RedisGate gate,
			TurnThreads threads) {
		this.partitionPeek = partitionPeek;
		this.settings = settings;
		this.signals = signals;
		this.gate = gate;
		this.threads = threads;
	}

	/** Starts checking. Does nothing if it is started. */
	void start() {
		if (this.turn == null) {
			this.turn = this.threads.turn("The check of idle partitions", this::turn);
		}
	}

	void wakeUp() {
		dueIn(0);
	}

	void stop() {
		RecurringTurn started = this.turn;
		if (started != null) {
			started.stop();
			this.turn = null;
		}
	}

	private void dueIn(long nanos) {
		RecurringTurn started = this.turn;
		if (started != null) {
			started.dueIn(nanos);
		}
	}

	/**
	 * Adds a partition to the check.
	 * @return whether it was added; {@code false} where partitions cannot be checked
	 * together
	 */
	boolean join(PartitionSweep sweep) {
		if (!this.partitionPeek.isPossible()) {
			return false;
		}
		this.idle.add(sweep);
		if (sweep.isStopped()) {
			leave(sweep);
		}
		dueIn(this.settings.spreadInterval());
		return true;
	}

	/** Removes a partition from the check: its own turns sweep it. */
	void leave(PartitionSweep sweep) {
		this.idle.remove(sweep);
	}

	private long turn() {
		if (!this.gate.isOpen()) {
			return BackgroundLoop.untried(this.settings.spreadInterval());
		}
		List<PartitionSweep> all = new ArrayList<>(this.idle);
		RuntimeException failed = null;
		for (int from = 0; from < all.size() && this.gate.isOpen(); from += PartitionPeek.MOST) {
			List<PartitionSweep> batch = all.subList(from, Math.min(all.size(), from + PartitionPeek.MOST));
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
		return all.isEmpty() ? Signals.LONGEST_QUIET.toNanos() : this.settings.spreadInterval();
	}

	private void check(List<PartitionSweep> sweeps) {
		long askedNanos = System.nanoTime();
		List<Peeked> peeked = this.partitionPeek.peek(sweeps.stream().map(PartitionSweep::partition).toList());
		for (int i = 0; i < peeked.size(); i++) {
			apply(sweeps.get(i), peeked.get(i), askedNanos);
		}
	}

	/**
	 * Makes each sweep check its own partition. Not while Redis is unreachable: the gate
	 * wakes all sweeps when Redis answers again.
	 */
	private void sweepEach(List<PartitionSweep> sweeps, RuntimeException failure) {
		if (!this.gate.failed(failure)) {
			sweeps.forEach((sweep) -> sweep.dueIn(0));
		}
	}

	private void apply(PartitionSweep sweep, Peeked peeked, long askedNanos) {
		if (peeked.state() == State.BUSY) {
			sweep.dueIn(0);
			return;
		}
		if (peeked.dueInMicros() >= 0) {
			sweep.dueIn(TimeUnit.MICROSECONDS.toNanos(peeked.dueInMicros()));
		}
		if (peeked.state() == State.EMPTY) {
			this.signals.consumer(sweep.partition().queue()).empty(sweep.partition().number(), askedNanos);
		}
	}

}
