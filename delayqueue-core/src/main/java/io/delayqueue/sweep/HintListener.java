package io.delayqueue.sweep;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.HintChannel;

/**
 * Turns hints of other processes into signals, from the first consumer of this process
 * on. Its subscription is the only blocking read of this library. Nothing depends on it:
 * without hints a sweeper checks its partition after the interval.
 */
public final class HintListener implements Signals.SweepSignals {

	private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** A subscription that ended without a failure is renewed at once. */
	private static final long AT_ONCE_NANOS = 1;

	private final HintChannel hints;

	private final Signals signals;

	private final RedisGate gate;

	private volatile boolean listening;

	private final BackgroundLoop loop = new BackgroundLoop("delayqueue-hints-in", this::listen);

	/**
	 * Creates a listener that subscribes when a consumer runs.
	 * @param hints the channel
	 * @param signals the wake-ups of this process
	 * @param gate the gate to Redis
	 */
	public HintListener(HintChannel hints, Signals signals, RedisGate gate) {
		this.hints = hints;
		this.signals = signals;
		this.gate = gate;
		signals.register(this);
		// After a loss the old subscription may be a half-open link that never ends
		gate.onOpen(hints::unsubscribe);
	}

	@Override
	public void consuming(String queue, int partitions, int concurrency) {
		this.listening = true;
		this.loop.start();
	}

	@Override
	public void notConsuming(String queue) {
		// Other queues may still have a consumer; an unneeded hint does no harm
	}

	@Override
	public void due(String queue, int partition, long inNanos) {
		// Nothing to do: this listener sends such signals itself
	}

	/** Ends the subscription. The next consumer starts the listener again. */
	public void stop() {
		this.listening = false;
		this.hints.unsubscribe();
		this.loop.stop(Duration.ZERO);
	}

	/**
	 * Whether the listener runs.
	 * @return {@code true} from the first consumer until the stop
	 */
	public boolean isRunning() {
		return this.listening;
	}

	private long listen() {
		if (!this.gate.isOpen()) {
			return BackgroundLoop.untried(CHECK_NANOS);
		}
		if (this.listening && !this.hints.isSubscribed()) {
			this.hints.subscribe(() -> this.listening, (queue, partition) -> this.signals.due(queue, partition, 0));
		}
		return (this.listening && !this.hints.isSubscribed()) ? AT_ONCE_NANOS : CHECK_NANOS;
	}

}
