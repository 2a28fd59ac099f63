package io.delayqueue.benchmark;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Records handled messages and their lateness. Redis and the handlers run on the same
 * machine, so both use the same clock. Safe for use by several threads.
 */
final class Ledger {

	private final AtomicIntegerArray handled;

	private final AtomicLongArray lateMicros;

	private final AtomicLong early = new AtomicLong();

	private final AtomicLong lastMicros = new AtomicLong();

	private final CountDownLatch missing;

	/**
	 * Creates a ledger.
	 * @param messages the expected number of messages
	 */
	Ledger(int messages) {
		this.handled = new AtomicIntegerArray(messages);
		this.lateMicros = new AtomicLongArray(messages);
		this.missing = new CountDownLatch(messages);
	}

	static long nowMicros() {
		Instant now = Instant.now();
		return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
	}

	/** Records a message. Every listener calls this method. */
	void handle(String payload) {
		long now = nowMicros();
		Message message = Message.of(payload);
		long late = now - message.dueMillis() * 1000;
		if (late < 0) {
			this.early.incrementAndGet();
		}
		this.lateMicros.set(message.number(), late);
		if (this.handled.incrementAndGet(message.number()) == 1) {
			this.lastMicros.accumulateAndGet(now, Math::max);
			this.missing.countDown();
		}
	}

	/**
	 * Waits until every message is handled.
	 * @throws BenchmarkException if a message is not handled within the limit
	 */
	void await(Duration limit) throws InterruptedException {
		if (!awaitAtMost(limit)) {
			throw new BenchmarkException(this.missing.getCount() + " of " + this.handled.length()
					+ " messages were not handled within " + limit);
		}
	}

	/**
	 * Waits until every message is handled or the limit has passed.
	 * @return whether every message is handled
	 */
	boolean awaitAtMost(Duration limit) throws InterruptedException {
		return this.missing.await(limit.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Returns the number of handled messages. */
	long handled() {
		return this.handled.length() - this.missing.getCount();
	}

	/**
	 * Checks the deliveries after the end of a run.
	 * @throws BenchmarkException if a message was lost, handled twice or early
	 */
	void check() {
		check(1);
	}

	/**
	 * Checks the deliveries of a run that ended before every message was handled.
	 * @throws BenchmarkException if a message was handled twice or early
	 */
	void checkHandled() {
		check(0);
	}

	private void check(int least) {
		for (int i = 0; i < this.handled.length(); i++) {
			int times = this.handled.get(i);
			if (times < least || times > 1) {
				throw new BenchmarkException("message " + i + " was handled " + times + " times");
			}
		}
		if (this.early.get() > 0) {
			throw new BenchmarkException(this.early + " messages were handled early");
		}
	}

	/** Returns the time at which the last message was handled, us since 1970. */
	long lastMicros() {
		return this.lastMicros.get();
	}

	/**
	 * Returns a percentile of the lateness of all messages.
	 * @param percent the percentile, 0 to 100
	 * @return the lateness, ms
	 */
	double lateMillis(double percent) {
		return lateMillis(percent, 0, this.lateMicros.length());
	}

	/**
	 * Returns a percentile of the lateness of the messages from one number to another.
	 */
	double lateMillis(double percent, int from, int to) {
		long[] late = new long[to - from];
		Arrays.setAll(late, (i) -> this.lateMicros.get(from + i));
		return percentile(late, percent) / 1000.0;
	}

	static long percentile(long[] values, double percent) {
		long[] sorted = values.clone();
		Arrays.sort(sorted);
		return sorted[Math.min(sorted.length - 1, (int) (sorted.length * percent / 100))];
	}

}
