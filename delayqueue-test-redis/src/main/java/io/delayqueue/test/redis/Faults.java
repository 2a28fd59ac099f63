package io.delayqueue.test.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The fault of the moment, shared by a proxy and its connections. Whoever waits because
 * of a fault is woken when it changes.
 */
final class Faults {

	enum Mode {

		PASS, DELAY, BLACKHOLE, CUT_REPLY, CUT_NEXT_REPLY, REFUSE

	}

	private Mode mode = Mode.PASS;

	private Duration delay = Duration.ZERO;

	synchronized void set(Mode mode, Duration delay) {
		if (delay.isNegative()) {
			throw new IllegalArgumentException("delay must not be negative, but is " + delay);
		}
		this.mode = mode;
		this.delay = delay;
		notifyAll();
	}

	synchronized boolean refuses() {
		return this.mode == Mode.REFUSE;
	}

	synchronized boolean swallows() {
		return this.mode == Mode.BLACKHOLE;
	}

	/**
	 * Whether this reply is to be cut; true is given once where only one is to be.
	 */
	synchronized boolean takeCut() {
		if (this.mode == Mode.CUT_NEXT_REPLY) {
			set(Mode.PASS, Duration.ZERO);
			return true;
		}
		return this.mode == Mode.CUT_REPLY;
	}

	/**
	 * Waits as long as replies are held back.
	 */
	synchronized void awaitDelay() throws InterruptedException {
		long start = System.nanoTime();
		while (this.mode == Mode.DELAY) {
			long left = this.delay.toNanos() - (System.nanoTime() - start);
			if (left <= 0) {
				return;
			}
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
	}

	/**
	 * Waits as long as replies are swallowed and the connection is open.
	 */
	synchronized void awaitEndOfSilence(ProxiedConnection connection) throws InterruptedException {
		while (this.mode == Mode.BLACKHOLE && !connection.isClosed()) {
			wait();
		}
	}

	synchronized void connectionClosed() {
		notifyAll();
	}

}
