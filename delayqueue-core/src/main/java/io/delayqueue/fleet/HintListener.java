package io.delayqueue.fleet;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Signals.PartitionSignals;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Hint;
import io.delayqueue.store.HintChannel;

/**
 * Passes hints from other processes to the consumers of this process, from the start of
 * the first consumer on. The subscription of this listener is the only blocking read of
 * this library. No delivery depends on hints: without a hint the next check of the
 * partition finds the message.
 */
public final class HintListener implements Signals.QueueListener {

	private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * The wait before the listener renews a subscription that ended without a failure.
	 */
	private static final long AT_ONCE_NANOS = 1;

	private final HintChannel hints;

	private final Signals signals;

	private final Fleet fleet;

	private final RedisGate gate;

	private volatile boolean listening;

	private final BackgroundLoop loop = new BackgroundLoop("delayqueue-hints-in", this::listen);

	/**
	 * Creates a listener that subscribes to hints when a consumer starts.
	 * @param hints the channel to which the listener subscribes
	 * @param signals the signals between actors of this process
	 * @param fleet the members
	 * @param gate the gate that stops calls while Redis is unreachable
	 */
	public HintListener(HintChannel hints, Signals signals, Fleet fleet, RedisGate gate) {
		this.hints = hints;
		this.signals = signals;
		this.fleet = fleet;
		this.gate = gate;
		signals.register(this);
		// When Redis answers again, the old subscription may be on a half-open
		// connection, on which it would wait for ever
		gate.onOpen(hints::unsubscribe);
	}

	@Override
	public void consuming(Epochs epochs) {
		this.listening = true;
		this.loop.start();
	}

	@Override
	public void notConsuming(String queue) {
		// Stay subscribed, because other queues may still have a consumer, and an
		// unnecessary hint does no harm
	}

	private void receive(Hint hint, boolean isForAll) {
		Partition partition = hint.partition();
		if (partition == null) {
			this.fleet.membersChanged();
			return;
		}
		PartitionSignals consumer = this.signals.consumer(partition.queue());
		switch (hint.kind()) {
			case DUE -> due(consumer, partition, isForAll);
			case READY -> consumer.ready(partition);
			case SWITCHED -> consumer.switched(partition);
			case CANCELLED -> hint.entries().forEach((entry) -> consumer.removed(partition, entry, false));
			case REPLACED -> hint.entries().forEach((entry) -> consumer.removed(partition, entry, true));
			case MEMBERS -> this.fleet.membersChanged();
		}
	}

	/**
	 * Signals a due message to the consumer. If the sender has sent the hint to this
	 * process only, but another member has the turn to sweep according to this process,
	 * the two processes have different lists of members: this process then sweeps at
	 * once.
	 */
	private void due(PartitionSignals consumer, Partition partition, boolean isForAll) {
		if (isForAll || this.fleet.maySweep(partition)) {
			consumer.due(partition, 0);
		}
		else {
			consumer.switched(partition);
		}
	}

	/**
	 * Ends the subscription to hints. The start of another consumer starts the listener
	 * again.
	 */
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
			this.hints.subscribe(() -> this.listening, this.fleet.member(), this::receive);
		}
		return (this.listening && !this.hints.isSubscribed()) ? AT_ONCE_NANOS : CHECK_NANOS;
	}

}
