package io.delayqueue.sweep;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.store.HintChannel;

import org.springframework.beans.factory.DisposableBean;

/**
 * Turns the hints of other processes into signals, from the first consumer of this
 * process on. Its subscription is the only read in the house that blocks, and nothing
 * depends on it: without hints a sweeper looks after its interval.
 */
public final class HintListener implements Signals.SweepSignals, DisposableBean {

	private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final HintChannel hints;

	private final Signals signals;

	private final RedisGate gate;

	private final BackgroundLoop loop = new BackgroundLoop("delayqueue-hints-in", this::listen);

	/**
	 * Creates a listener that begins when a consumer runs.
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
		gate.onOpen(() -> hints.unsubscribe(false));
	}

	@Override
	public void consuming(String queue, int partitions) {
		this.loop.start();
	}

	@Override
	public void notConsuming(String queue) {
		// Another queue may be consumed; a needless hint does no harm
	}

	@Override
	public void due(String queue, int partition, long inNanos) {
		// Told by this listener itself, among others
	}

	@Override
	public void destroy() {
		this.hints.unsubscribe(true);
		this.loop.stop(Duration.ZERO);
	}

	private long listen() {
		if (this.gate.isOpen() && !this.hints.isSubscribed()) {
			this.hints.subscribe((queue, partition) -> this.signals.due(queue, partition, 0));
		}
		return LOOK_NANOS;
	}

}
