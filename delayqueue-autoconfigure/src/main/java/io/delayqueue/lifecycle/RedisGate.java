package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Spares a Redis that is away: once an actor reports it lost, none of them calls it until
 * one probe of this process, repeated from 50 ms to 1 s apart, has found it again; then
 * all are woken. Safe for use by several threads.
 */
public final class RedisGate implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedisGate.class);

	private static final long NOTHING_TO_DO_NANOS = TimeUnit.HOURS.toNanos(1);

	private final BackgroundLoop prober = new BackgroundLoop("delayqueue-probe", this::probe);

	private final @Nullable BooleanSupplier probe;

	private final List<Runnable> waiting = new CopyOnWriteArrayList<>();

	private volatile boolean open = true;

	private volatile CountDownLatch opening = new CountDownLatch(0);

	private volatile long openedAtNanos = System.nanoTime();

	private volatile long closedAtNanos;

	private boolean closed;

	private volatile @Nullable Throwable lastLoss;

	private int failures;

	/**
	 * Creates an open gate.
	 * @param probe whether Redis answers, called from one thread; {@code null} for a gate
	 * that is never closed. A cluster needs that one: a call that is lost tells of one
	 * node and nothing about the others, so what goes to them must go on; and the probe
	 * would ask all nodes, and find Redis again no sooner than the last of them. Each
	 * activity then backs off by itself
	 */
	public RedisGate(@Nullable BooleanSupplier probe) {
		this.probe = probe;
	}

	/**
	 * Whether Redis may be called.
	 * @return {@code false} while it is known to be away
	 */
	public boolean isOpen() {
		return this.open;
	}

	/**
	 * Waits until Redis may be called.
	 * @param nanos how long to wait at most, ns
	 * @return {@code false} if it is still known to be away, or the thread was
	 * interrupted, which stays so
	 */
	public boolean awaitOpen(long nanos) {
		try {
			return this.open || this.opening.await(nanos, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * For how long Redis has been away.
	 * @return the time since the gate was closed, 0 while it is open
	 */
	public Duration closedFor() {
		if (this.open) {
			return Duration.ZERO;
		}
		return Duration.ofNanos(System.nanoTime() - this.closedAtNanos);
	}

	/**
	 * For how long Redis may have been called.
	 * @return the time since the gate was last opened, 0 while it is closed
	 */
	public Duration openFor() {
		if (!this.open) {
			return Duration.ZERO;
		}
		return Duration.ofNanos(System.nanoTime() - this.openedAtNanos);
	}

	/**
	 * Why Redis counts as away, or has the last time.
	 * @return what the call that did not reach it has said
	 */
	public String reason() {
		Throwable loss = this.lastLoss;
		return (loss != null) ? String.valueOf(loss.getMessage()) : "it has not been asked";
	}

	/**
	 * Reports that a call did not reach Redis.
	 * @param failure what became of the call
	 */
	public synchronized void lost(Throwable failure) {
		if (this.probe != null && this.open && !this.closed) {
			this.closedAtNanos = System.nanoTime();
			this.lastLoss = failure;
			this.opening = new CountDownLatch(1);
			this.open = false;
			logger.debug("A call did not reach Redis", failure);
			this.prober.start();
			this.prober.wakeUp();
		}
	}

	/**
	 * Registers what to do whenever Redis is found again.
	 * @param wakeUp must return at once
	 */
	public void onOpen(Runnable wakeUp) {
		this.waiting.add(wakeUp);
	}

	/**
	 * Undoes {@link #onOpen}.
	 * @param wakeUp what was registered
	 */
	public void forget(Runnable wakeUp) {
		this.waiting.remove(wakeUp);
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		this.prober.stop(Duration.ZERO);
	}

	private long probe() {
		if (this.open || this.probe == null) {
			return NOTHING_TO_DO_NANOS;
		}
		if (!this.probe.getAsBoolean()) {
			if (++this.failures == 1) {
				logger.warn("Redis is away (" + reason()
						+ "); it is asked for at least every second, and nothing else is tried until it answers");
			}
			return Backoff.after(this.failures).toNanos();
		}
		if (this.failures > 0) {
			logger.info("Redis answers again after " + closedFor().toMillis() + " ms");
		}
		this.failures = 0;
		reopen();
		this.waiting.forEach(RedisGate::wakeUp);
		return NOTHING_TO_DO_NANOS;
	}

	/** Under the lock: who closes the gate again has waiters of its own. */
	private synchronized void reopen() {
		this.openedAtNanos = System.nanoTime();
		this.open = true;
		this.opening.countDown();
	}

	/** One that cannot be woken must not keep the others asleep. */
	private static void wakeUp(Runnable waiting) {
		try {
			waiting.run();
		}
		catch (RuntimeException failure) {
			logger.warn("Not everything could be told that Redis answers again; it will find out by itself", failure);
		}
	}

}
