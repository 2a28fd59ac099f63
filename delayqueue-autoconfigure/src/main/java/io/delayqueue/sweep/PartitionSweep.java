package io.delayqueue.sweep;

import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.FailureTrack;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages.Swept;
import io.delayqueue.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * The sweeping of one partition: at most one timer armed, at most one turn running. After
 * each turn it arms itself for the next due time or the interval, whichever is earlier;
 * who asks for an earlier turn gets it, also while one runs.
 */
final class PartitionSweep {

	/** So many full batches in a turn; then the others have theirs. */
	private static final int BATCHES_OF_A_TURN = 20;

	/** How soon to look again when the stream was full; doubled while it stays full. */
	private static final long FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private static final long LONG_FULL_NANOS = TimeUnit.MILLISECONDS.toNanos(160);

	/** How soon to try again when all calls of the pool are taken. */
	private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	// immutable

	private final Partition partition;

	private final int highWaterMark;

	private final Sweeper.Tools tools;

	private final FailureTrack track;

	// confined to the turn

	private long fullNanos = FULL_NANOS;

	// guarded by this

	private boolean stopped;

	private boolean running;

	private @Nullable Future<?> armed;

	private long armedFor;

	private boolean askedAgain;

	private long askedFor;

	PartitionSweep(Partition partition, int highWaterMark, Sweeper.Tools tools) {
		this.partition = partition;
		this.highWaterMark = highWaterMark;
		this.tools = tools;
		this.track = new FailureTrack("The sweep of partition " + partition);
	}

	LoopStatus status() {
		return this.track.status(true);
	}

	synchronized void stop() {
		this.stopped = true;
		disarm();
	}

	private synchronized boolean isStopped() {
		return this.stopped;
	}

	/** Asks for a turn, so many ns from now. */
	synchronized void dueIn(long nanos) {
		long at = System.nanoTime() + nanos;
		if (this.running) {
			if (!this.askedAgain || at - this.askedFor < 0) {
				this.askedAgain = true;
				this.askedFor = at;
			}
		}
		else if (this.armed == null || at - this.armedFor < 0) {
			arm(at);
		}
	}

	private void arm(long at) {
		disarm();
		if (this.stopped) {
			return;
		}
		long wait = at - System.nanoTime();
		if (wait <= 0) {
			launch();
			return;
		}
		this.armedFor = at;
		this.armed = this.tools.timer().schedule(this::launch, wait, TimeUnit.NANOSECONDS);
	}

	private void disarm() {
		if (this.armed != null) {
			this.armed.cancel(false);
			this.armed = null;
		}
	}

	private synchronized void launch() {
		if (this.stopped || this.running) {
			return;
		}
		disarm();
		this.running = true;
		try {
			this.tools.calls().execute(this::turn);
		}
		catch (RuntimeException | Error busy) {
			this.running = false;
			arm(System.nanoTime() + BUSY_NANOS);
		}
	}

	private void turn() {
		long waitNanos;
		try {
			boolean open = this.tools.gate().isOpen();
			waitNanos = open ? sweep() : interval();
			if (open) {
				this.track.succeeded();
			}
		}
		catch (Throwable failure) {
			if (isStopped()) {
				return;
			}
			if (failure instanceof StoreException lost && lost.isRedisLost()) {
				this.tools.gate().lost(failure);
			}
			waitNanos = this.track.failed(failure).toNanos();
		}
		synchronized (this) {
			long at = System.nanoTime() + waitNanos;
			boolean sooner = this.askedAgain && this.askedFor - at < 0;
			this.running = false;
			this.askedAgain = false;
			arm(sooner ? this.askedFor : at);
		}
	}

	/** Sweeps until nothing is due; says how long until there may be something. */
	private long sweep() {
		int batchSize = this.tools.settings().batchSize();
		for (int batch = 0; batch < BATCHES_OF_A_TURN; batch++) {
			if (!this.tools.gate().isOpen()) {
				return interval();
			}
			Swept swept = this.tools.ready().sweep(this.partition, batchSize, this.highWaterMark);
			if (swept.moved() > 0) {
				this.tools.observer().swept(this.partition.queue(), swept.moved());
			}
			if (swept.lag() > 0) {
				this.tools.signals().ready(this.partition.queue(), this.partition.number());
			}
			if (swept.moved() < batchSize && !swept.more()) {
				return wait(swept);
			}
		}
		return 0;
	}

	private long wait(Swept swept) {
		long interval = interval();
		if (swept.paused() || swept.nextDueMillis() < 0) {
			return interval;
		}
		long wait = TimeUnit.MICROSECONDS.toNanos(swept.nextDueMillis() * 1000 - swept.nowMicros());
		if (wait > 0) {
			return Math.min(wait, interval);
		}
		this.fullNanos = (swept.moved() > 0) ? FULL_NANOS : Math.min(2 * this.fullNanos, LONG_FULL_NANOS);
		return this.fullNanos;
	}

	/** Never longer than told, and not the same for all processes. */
	private long interval() {
		long nanos = this.tools.settings().interval().toNanos();
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 8 + 1);
	}

}
