package io.delayqueue.schedule;

import java.time.Duration;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Partition;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Makes known that a partition has a new head: to the sweeper of this process by a
 * signal, to the others by a hint. Hints are sent behind the caller's back, at most one
 * at a time for each partition, and a failed one is dropped: sweepers look by themselves.
 */
public final class SweepNotifier implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(SweepNotifier.class);

	private static final long NOTHING_TO_DO_NANOS = TimeUnit.HOURS.toNanos(1);

	private final Signals signals;

	private final HintChannel hints;

	private final Set<Partition> unsaid = ConcurrentHashMap.newKeySet();

	private final BackgroundLoop publisher = new BackgroundLoop("delayqueue-hints-out", this::publish);

	/**
	 * Creates the announcer.
	 * @param signals the wake-ups of this process
	 * @param hints the channel to the others
	 */
	public SweepNotifier(Signals signals, HintChannel hints) {
		this.signals = signals;
		this.hints = hints;
	}

	void announce(Partition partition, long dueMillis, long nowMicros) {
		long inNanos = TimeUnit.MICROSECONDS.toNanos(Math.max(0, dueMillis * 1000 - nowMicros));
		this.signals.due(partition.queue(), partition.number(), inNanos);
		if (this.unsaid.add(partition)) {
			this.publisher.start();
			this.publisher.wakeUp();
		}
	}

	@Override
	public void close() {
		this.publisher.stop(Duration.ZERO);
	}

	private long publish() {
		for (Iterator<Partition> all = this.unsaid.iterator(); all.hasNext();) {
			Partition partition = all.next();
			all.remove();
			try {
				this.hints.publish(partition);
			}
			catch (StoreException failure) {
				logger.debug("No hint about partition " + partition + "; its sweepers will look by themselves",
						failure);
			}
		}
		return NOTHING_TO_DO_NANOS;
	}

}
