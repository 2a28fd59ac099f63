package io.delayqueue.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RecurringTurn;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.PartitionPeek;
import io.delayqueue.store.PartitionPeek.Look;
import io.delayqueue.store.PartitionPeek.State;
import io.delayqueue.store.StoreException;

/**
 * Looks at all partitions at once that have nothing to do, every interval, so that an
 * idle queue costs next to nothing. What is not idle any more is swept at once; of what
 * is, the consumer is told, and need not look itself.
 */
final class IdleCheck {

	private final PartitionPeek looks;

	private final Sweeper.Tools tools;

	private final RecurringTurn turn;

	private final Set<PartitionSweep> idle = ConcurrentHashMap.newKeySet();

	IdleCheck(PartitionPeek looks, Sweeper.Tools tools) {
		this.looks = looks;
		this.tools = tools;
		this.turn = tools.threads().turn("The look at idle partitions", this::turn);
	}

	LoopStatus status() {
		return this.turn.status();
	}

	void wakeUp() {
		this.turn.dueIn(0);
	}

	void stop() {
		this.turn.stop();
	}

	/**
	 * From now on a partition is looked at here.
	 * @return whether it is; {@code false} where partitions cannot be looked at together
	 */
	boolean join(PartitionSweep sweep) {
		if (!this.looks.isPossible()) {
			return false;
		}
		this.idle.add(sweep);
		if (sweep.isStopped()) {
			leave(sweep);
		}
		this.turn.dueIn(interval());
		return true;
	}

	/** The partition looks after itself. */
	void leave(PartitionSweep sweep) {
		this.idle.remove(sweep);
	}

	private long turn() {
		if (!this.tools.gate().isOpen()) {
			return BackgroundLoop.untried(interval());
		}
		List<PartitionSweep> all = new ArrayList<>(this.idle);
		RuntimeException failed = null;
		for (int from = 0; from < all.size() && this.tools.gate().isOpen(); from += PartitionPeek.MOST) {
			List<PartitionSweep> some = all.subList(from, Math.min(all.size(), from + PartitionPeek.MOST));
			try {
				look(some);
			}
			catch (RuntimeException failure) {
				failed = failure;
				eachByItself(some, failure);
			}
		}
		if (failed != null && this.looks.isPossible()) {
			throw failed;
		}
		return all.isEmpty() ? Signals.LONGEST_QUIET.toNanos() : interval();
	}

	private long interval() {
		return SweepSettings.spread(this.tools.settings().interval());
	}

	private void look(List<PartitionSweep> sweeps) {
		long asked = System.nanoTime();
		List<Look> looks = this.looks.look(sweeps.stream().map(PartitionSweep::partition).toList());
		for (int i = 0; i < looks.size(); i++) {
			seen(sweeps.get(i), looks.get(i), asked);
		}
	}

	/** While Redis is away nobody is: they are woken when it is back. */
	private void eachByItself(List<PartitionSweep> sweeps, RuntimeException failure) {
		if (failure instanceof StoreException lost && lost.isRedisLost()) {
			this.tools.gate().lost(lost);
		}
		else {
			sweeps.forEach((sweep) -> sweep.dueIn(0));
		}
	}

	private void seen(PartitionSweep sweep, Look look, long askedNanos) {
		if (look.state() == State.BUSY) {
			sweep.dueIn(0);
			return;
		}
		if (look.dueInMicros() >= 0) {
			sweep.dueIn(TimeUnit.MICROSECONDS.toNanos(look.dueInMicros()));
		}
		if (look.state() == State.EMPTY) {
			this.tools.signals().empty(sweep.partition().queue(), sweep.partition().number(), askedNanos);
		}
	}

}
