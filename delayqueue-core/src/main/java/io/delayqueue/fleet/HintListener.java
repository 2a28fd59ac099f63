package io.delayqueue.fleet;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Signals.PartitionSignals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Hint;
import io.delayqueue.store.HintChannel;
import org.jspecify.annotations.Nullable;

/**
 * Passes hints from other processes to the consumers of this process, from the start of
 * the first consumer on. The subscription of this listener is the only blocking read of
 * this library. No delivery depends on hints: without a hint the next check of the
 * partition finds the message.
 *
 * <p>
 * The subscription may be on a node of a cluster that hangs. So when a call has not
 * reached a node, the listener makes this process send hints to itself, and renews the
 * subscription if none of them arrives within a second.
 */
public final class HintListener implements Signals.QueueListener {

	private static final Pause IDLE = Pause.of(TimeUnit.HOURS.toNanos(1));

	private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(2);

	/**
	 * The wait before the listener renews a subscription that ended without a failure.
	 */
	private static final Pause AT_ONCE = Pause.of(1);

	/** The shortest time between two checks of the subscription. */
	private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** The time in which a living subscription receives the hints of a check. */
	private static final long ECHO_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final HintChannel hints;

	private final Signals signals;

	private final Fleet fleet;

	private final RedisGate gate;

	private final Wakeups wakeups;

	private final TaskPool tasks;

	private final Task check;

	private final AtomicLong doubtedNanos = new AtomicLong(System.nanoTime() - DOUBT_NANOS);

	/** When this process has sent hints to itself; used only by the check. */
	private @Nullable Long echoedNanos;

	private volatile boolean listening;

	// guarded by this

	/** Whether {@link #subscription} may still subscribe. */
	private AtomicBoolean subscribes = new AtomicBoolean(true);

	private Task subscription;

	/**
	 * Creates a listener that subscribes to hints when a consumer starts.
	 * @param hints the channel to which the listener subscribes
	 * @param signals the signals between actors of this process
	 * @param fleet the members
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param wakeups sends the hints by which this process checks its subscription
	 * @param tasks runs the subscription
	 */
	public HintListener(HintChannel hints, Signals signals, Fleet fleet, RedisGate gate, Wakeups wakeups,
			TaskPool tasks) {
		this.tasks = tasks;
		this.check = tasks.unlisted("delayqueue-hints-check", this::check);
		this.subscription = subscription(this.subscribes);
		this.wakeups = wakeups;
		this.hints = hints;
		this.signals = signals;
		this.fleet = fleet;
		this.gate = gate;
		signals.register(this);
		// When Redis answers again, the old subscription may be on a half-open
		// connection, on which it would wait for ever
		gate.onOpen(hints::unsubscribe);
		gate.onLoss(this::doubt);
	}

	@Override
	public synchronized void consuming(Epochs epochs) {
		this.listening = true;
		this.subscription.start();
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
		synchronized (this) {
			this.subscription.stop();
		}
	}

	/**
	 * Whether the listener runs.
	 * @return {@code true} from the first consumer until the stop
	 */
	public boolean isRunning() {
		return this.listening;
	}

	/**
	 * Checks the subscription soon, because a node of the cluster does not answer: it may
	 * be the node that serves the subscription.
	 */
	private void doubt() {
		long now = System.nanoTime();
		long last = this.doubtedNanos.get();
		if (this.listening && now - last >= DOUBT_NANOS && this.doubtedNanos.compareAndSet(last, now)) {
			this.check.wake();
		}
	}

	private Pause check() {
		Long echoed = this.echoedNanos;
		if (echoed == null) {
			if (!this.hints.isSubscribed()) {
				// The task already tries to subscribe
				return IDLE;
			}
			this.echoedNanos = System.nanoTime();
			this.wakeups.echo();
			return Pause.of(ECHO_NANOS);
		}
		this.echoedNanos = null;
		if (this.hints.isSubscribed() && !this.hints.hasReceivedSince(echoed)) {
			subscribeAgain().run();
		}
		return IDLE;
	}

	/**
	 * Subscribes on another thread, because with Jedis the present one may be blocked
	 * until the timeout of the subscription.
	 */
	private synchronized Runnable subscribeAgain() {
		// Before the subscription is given up, so that the present task does not begin
		// another one
		this.subscribes.set(false);
		Runnable end = this.hints.abandon();
		this.subscription.stop();
		this.subscribes = new AtomicBoolean(true);
		this.subscription = subscription(this.subscribes);
		if (this.listening) {
			this.subscription.start();
		}
		return end;
	}

	private Task subscription(AtomicBoolean subscribes) {
		return this.tasks.unlisted("delayqueue-hints-in", () -> listen(() -> this.listening && subscribes.get()));
	}

	private Pause listen(BooleanSupplier wanted) {
		if (!this.gate.isOpen()) {
			return Pause.untried(CHECK_NANOS);
		}
		if (wanted.getAsBoolean() && !this.hints.isSubscribed()) {
			this.hints.subscribe(wanted, this.fleet.member(), this::receive);
		}
		return (wanted.getAsBoolean() && !this.hints.isSubscribed()) ? AT_ONCE : Pause.of(CHECK_NANOS);
	}

}
