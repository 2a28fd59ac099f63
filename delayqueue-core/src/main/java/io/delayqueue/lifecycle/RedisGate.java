package io.delayqueue.lifecycle;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.delayqueue.DurationText;
import io.delayqueue.redis.CallRetry.Presence;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Stops calls to an unreachable Redis. The gate closes when an actor (a background
 * activity or a caller) reports that a call did not reach Redis. While the gate is
 * closed, this process makes no call to Redis except a probe every 50 ms to 1 s. When
 * Redis answers a probe, the gate opens and wakes all registered actors. Safe for use by
 * several threads.
 */
public final class RedisGate implements Presence, AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisGate.class);

	private static final Pause NONE_TO_PROBE = Pause.of(TimeUnit.HOURS.toNanos(1));

	private final Task prober;

	private final @Nullable BooleanSupplier probe;

	private final List<Runnable> waiting = new CopyOnWriteArrayList<>();

	private final List<Runnable> onLoss = new CopyOnWriteArrayList<>();

	private volatile boolean open = true;

	private volatile @Nullable Long answeredAtNanos;

	private volatile CountDownLatch opening = new CountDownLatch(0);

	private volatile long openedAtNanos = System.nanoTime();

	private volatile long closedAtNanos;

	private boolean closed;

	private volatile @Nullable Throwable lastLoss;

	private int failures;

	/**
	 * Creates a gate that is open.
	 * @param tasks runs the probes
	 * @param probe returns whether Redis answers, called by one thread at a time;
	 * {@code null} for a gate that never closes. A cluster needs a gate that never
	 * closes: a lost call concerns only one node, and calls to the other nodes must
	 * continue; a probe, however, would not succeed before every node answers. Without a
	 * probe, each background activity itself waits after a failed call, and then tries
	 * again
	 */
	public RedisGate(TaskPool tasks, @Nullable BooleanSupplier probe) {
		this.prober = tasks.unlisted("delayqueue-probe", this::probe);
		this.probe = probe;
	}

	/**
	 * Whether background activities may call Redis.
	 * @return {@code false} while Redis is known to be unreachable
	 */
	public boolean isOpen() {
		return this.open;
	}

	/**
	 * Waits until the gate is open.
	 * @param nanos the longest wait, ns
	 * @return {@code false} if Redis is still known to be unreachable, or if the thread
	 * was interrupted; the interrupt flag stays set
	 */
	@Override
	public boolean await(long nanos) {
		try {
			return this.open || this.opening.await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * Returns for how long this process has found Redis unreachable.
	 * @return the time since the gate was closed, 0 while the gate is open
	 */
	public Duration closedFor() {
		if (this.open) {
			return Duration.ZERO;
		}
		return Duration.ofNanos(System.nanoTime() - this.closedAtNanos);
	}

	/** Records that Redis has answered a call. */
	public void answered() {
		this.answeredAtNanos = System.nanoTime();
	}

	/**
	 * Returns how long ago Redis answered.
	 * @return the time since the last call of {@link #answered}, {@code null} before the
	 * first call
	 */
	public @Nullable Duration sinceAnswer() {
		Long at = this.answeredAtNanos;
		return (at != null) ? Duration.ofNanos(System.nanoTime() - at) : null;
	}

	/**
	 * Returns for how long calls to Redis have been allowed.
	 * @return the time since the gate was last opened, 0 while the gate is closed
	 */
	public Duration openFor() {
		if (!this.open) {
			return Duration.ZERO;
		}
		return Duration.ofNanos(System.nanoTime() - this.openedAtNanos);
	}

	/**
	 * Returns why this process considers Redis unreachable, or the reason of the last
	 * outage if the gate is open.
	 * @return the message of the failure that closed the gate
	 */
	@Override
	public String reason() {
		Throwable loss = this.lastLoss;
		return (loss != null) ? String.valueOf(loss.getMessage()) : "Redis has not been called";
	}

	/**
	 * Does the work of a task once, unless the gate is closed. Closes the gate if a call
	 * does not reach Redis. A call that Redis refuses because the partition has the
	 * layout of another library version does not count as a failure.
	 * @param work does the work, and returns the pause before the next run
	 * @param untriedNanos returns the time until the next run if the work cannot be done
	 * now, ns
	 * @return the pause before the next run
	 * @throws StoreException if a call failed, except because of the layout of another
	 * library version
	 */
	public Pause run(Supplier<Pause> work, LongSupplier untriedNanos) {
		if (!this.open) {
			return Pause.untried(untriedNanos.getAsLong());
		}
		try {
			return work.get();
		}
		catch (StoreException failure) {
			failed(failure);
			if (failure.isLayoutForeign()) {
				return Pause.untried(untriedNanos.getAsLong());
			}
			throw failure;
		}
	}

	/**
	 * Closes the gate if a failed call did not reach Redis.
	 * @param failure the failure of the call
	 * @return whether the call did not reach Redis
	 */
	public boolean failed(RuntimeException failure) {
		boolean lost = failure instanceof StoreException call && call.isRedisLost();
		if (lost) {
			lost(failure);
		}
		return lost;
	}

	@Override
	public void lost(RuntimeException failure) {
		if (this.probe == null) {
			this.onLoss.forEach(Runnable::run);
		}
		else {
			shut(failure);
		}
	}

	private synchronized void shut(RuntimeException failure) {
		if (this.open && !this.closed) {
			this.closedAtNanos = System.nanoTime();
			this.lastLoss = failure;
			this.opening = new CountDownLatch(1);
			this.open = false;
			logger.debug("A call did not reach Redis", failure);
			this.prober.wake();
		}
	}

	/**
	 * Registers an action that runs whenever Redis answers again.
	 * @param wakeUp the action, which must return at once
	 */
	public void onOpen(Runnable wakeUp) {
		this.waiting.add(wakeUp);
	}

	/**
	 * Registers an action that runs whenever a call has not reached a node of a cluster.
	 * @param action the action, which must return at once; never runs if this gate can
	 * close
	 */
	public void onLoss(Runnable action) {
		this.onLoss.add(action);
	}

	/**
	 * Removes an action that {@link #onOpen} has registered.
	 * @param wakeUp the registered action
	 */
	public void forget(Runnable wakeUp) {
		this.waiting.remove(wakeUp);
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		this.prober.stop();
	}

	private Pause probe() {
		if (this.open || this.probe == null) {
			return NONE_TO_PROBE;
		}
		if (!this.probe.getAsBoolean()) {
			if (++this.failures == 1) {
				logger.warn("Redis is unreachable (" + reason()
						+ "); delayqueue probes Redis at least every second, and makes no other call until Redis answers");
			}
			return Pause.of(FailureTrack.pauseAfter(this.failures).toNanos());
		}
		if (this.failures > 0) {
			logger.info("Redis answers again after " + DurationText.of(closedFor().truncatedTo(ChronoUnit.MILLIS)));
		}
		this.failures = 0;
		reopen();
		this.waiting.forEach(RedisGate::wakeUp);
		return NONE_TO_PROBE;
	}

	/**
	 * Opens the gate under the lock, because a thread that closes the gate at the same
	 * time replaces the latch.
	 */
	private synchronized void reopen() {
		this.openedAtNanos = System.nanoTime();
		this.open = true;
		this.opening.countDown();
	}

	/**
	 * Runs an action of {@link #onOpen}; a failure of the action must not prevent the
	 * other actions.
	 */
	private static void wakeUp(Runnable waiting) {
		try {
			waiting.run();
		}
		catch (RuntimeException failure) {
			logger.warn("Redis answers again, but a background activity of delayqueue could not be woken at once;"
					+ " it continues at its next interval, and no action is needed", failure);
		}
	}

}
