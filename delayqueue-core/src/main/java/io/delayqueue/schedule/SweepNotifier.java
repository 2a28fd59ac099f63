package io.delayqueue.schedule;

import java.time.Duration;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.Due;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Partition;

/**
 * Notifies sweepers that a partition has a new head: the sweeper of this process by a
 * signal, the sweepers of other processes by a hint. Hints are sent in the background, at
 * most one at a time for each partition. A failed hint is dropped: sweepers check their
 * partitions periodically anyway.
 */
public final class SweepNotifier implements AutoCloseable {

	private static final long IDLE_WAIT_NANOS = TimeUnit.HOURS.toNanos(1);

	private final Signals signals;

	private final HintChannel hints;

	private final Set<Partition> pending = ConcurrentHashMap.newKeySet();

	private final BackgroundLoop publisher = new BackgroundLoop("delayqueue-hints-out", this::publish);

	/**
	 * Creates the notifier.
	 * @param signals the wake-ups of this process
	 * @param hints the channel to other processes
	 */
	public SweepNotifier(Signals signals, HintChannel hints) {
		this.signals = signals;
		this.hints = hints;
	}

	void announce(Partition partition, long dueMillis, long nowMicros) {
		this.signals.due(partition.queue(), partition.number(), Due.leftNanos(dueMillis, nowMicros));
		if (this.pending.add(partition)) {
			this.publisher.start();
			this.publisher.wakeUp();
		}
	}

	@Override
	public void close() {
		this.publisher.stop(Duration.ZERO);
	}

	private long publish() {
		for (Iterator<Partition> all = this.pending.iterator(); all.hasNext();) {
			Partition partition = all.next();
			all.remove();
			this.hints.publish(partition);
		}
		return IDLE_WAIT_NANOS;
	}

}
