package io.delayqueue.test.fault;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The current fault of a {@link FaultProxy}, which the proxy and its connections share. A
 * thread that waits because of a fault is woken when the fault changes.
 */
final class Faults {

	enum Mode {

		PASS, DELAY, BLACKHOLE, CUT_REQUEST, CUT_NEXT_REQUEST, CUT_REPLY, CUT_NEXT_REPLY, CUT_REPLY_TO,

		CUT_NEXT_REPLY_TO, ACT_BEFORE_REQUEST, REFUSE

	}

	private Mode mode = Mode.PASS;

	private Duration delay = Duration.ZERO;

	private Duration longestDelay = Duration.ZERO;

	private String text = "";

	private Runnable action = () -> {
	};

	private long cuts;

	synchronized void set(Mode mode) {
		this.mode = mode;
		notifyAll();
	}

	synchronized void set(Mode mode, String text) {
		this.text = text;
		set(mode);
	}

	synchronized void actBefore(String text, Runnable action) {
		this.action = action;
		set(Mode.ACT_BEFORE_REQUEST, text);
	}

	/**
	 * Runs the stored action once, if a request contains the text for which the action
	 * waits.
	 */
	synchronized void actBefore(byte[] request, int length) {
		if (this.mode == Mode.ACT_BEFORE_REQUEST && hasText(request, length)) {
			set(Mode.PASS);
			this.action.run();
		}
	}

	synchronized void delay(Duration least, Duration most) {
		if (least.isNegative() || most.compareTo(least) < 0) {
			throw new IllegalArgumentException(
					"The delay must be 0 or more and its maximum no less than its minimum, but is from " + least
							+ " to " + most);
		}
		this.delay = least;
		this.longestDelay = most;
		set(Mode.DELAY);
	}

	synchronized long cuts() {
		return this.cuts;
	}

	synchronized boolean refuses() {
		return this.mode == Mode.REFUSE;
	}

	synchronized boolean swallows() {
		return this.mode == Mode.BLACKHOLE;
	}

	/**
	 * Returns whether a request must be cut. If only one request is to be cut, the method
	 * returns true only once.
	 */
	synchronized boolean takeRequestCut(byte[] request, int length) {
		boolean once = this.mode == Mode.CUT_NEXT_REQUEST;
		return (once || this.mode == Mode.CUT_REQUEST) && hasText(request, length) && cut(once);
	}

	/**
	 * Returns whether the reply to a request must be cut. If only one reply is to be cut,
	 * the method returns true only once.
	 */
	synchronized boolean takeCutOfReplyTo(byte[] request, int length) {
		boolean once = this.mode == Mode.CUT_NEXT_REPLY_TO;
		return (once || this.mode == Mode.CUT_REPLY_TO) && hasText(request, length) && cut(once);
	}

	/**
	 * Returns whether a reply must be cut. If only one reply is to be cut, the method
	 * returns true only once.
	 */
	synchronized boolean takeCut() {
		boolean once = this.mode == Mode.CUT_NEXT_REPLY;
		return (once || this.mode == Mode.CUT_REPLY) && cut(once);
	}

	private boolean cut(boolean once) {
		if (once) {
			set(Mode.PASS);
		}
		this.cuts++;
		return true;
	}

	private boolean hasText(byte[] request, int length) {
		return new String(request, 0, length, StandardCharsets.ISO_8859_1).contains(this.text);
	}

	/** Waits for the delay of a reply, if replies are to be delayed. */
	synchronized void awaitDelay() throws InterruptedException {
		long start = System.nanoTime();
		double share = ThreadLocalRandom.current().nextDouble();
		while (this.mode == Mode.DELAY) {
			long jitter = (long) (share * this.longestDelay.minus(this.delay).toNanos());
			long left = this.delay.toNanos() + jitter - (System.nanoTime() - start);
			if (left <= 0) {
				return;
			}
			TimeUnit.NANOSECONDS.timedWait(this, left);
		}
	}

	/**
	 * Waits as long as the proxy swallows replies and the connection is open.
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
