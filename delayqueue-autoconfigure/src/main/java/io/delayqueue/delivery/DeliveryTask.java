package io.delayqueue.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.delayqueue.queue.RetrySettings;
import io.delayqueue.store.FailureRecord;
import io.delayqueue.store.MessageRecord;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages.Entry;
import org.jspecify.annotations.Nullable;

/**
 * A delivery on its way through this process.
 */
final class DeliveryTask implements Delivery, Work {

	private final Partition partition;

	private final String entry;

	private final String id;

	private final MessageRecord message;

	private final FailureRecord failures;

	private final RetrySettings retry;

	private final long expiryMillis;

	private final Lease lease;

	// shared and safe

	private volatile long leaseSinceNanos;

	private volatile boolean leaseLost;

	private volatile boolean handlerSawLoss;

	private volatile boolean settling;

	private volatile boolean abandoned;

	private volatile boolean expired;

	private volatile boolean permitReturned;

	private volatile boolean stranded;

	DeliveryTask(Partition partition, Entry entry, MessageRecord message, RetrySettings retry, Lease lease) {
		this.partition = partition;
		this.entry = entry.entry();
		this.id = entry.id();
		this.message = message;
		this.failures = entry.failures();
		this.retry = retry.with(message.envelope().retry());
		this.expiryMillis = entry.expiryMillis();
		this.lease = lease;
		this.leaseSinceNanos = lease.askedNanos();
	}

	/**
	 * When this process got the message, by Redis's clock and by its own. One for all
	 * messages of a read.
	 *
	 * @param redisMicros Redis's time after the read, us
	 * @param askedNanos our monotonic time before the read, ns
	 * @param answeredNanos our monotonic time after the read, ns
	 * @param visibilityTimeout how long the lease lasts
	 */
	record Lease(long redisMicros, long askedNanos, long answeredNanos, Duration visibilityTimeout) {

		/** Redis's time now, us, going by the time that has passed here. */
		long nowMicros() {
			return this.redisMicros + (System.nanoTime() - this.answeredNanos) / 1000;
		}

	}

	@Override
	public List<DeliveryTask> tasks() {
		return List.of(this);
	}

	Partition partition() {
		return this.partition;
	}

	String entry() {
		return this.entry;
	}

	FailureRecord failures() {
		return this.failures;
	}

	/** How this message is retried. */
	RetrySettings retry() {
		return this.retry;
	}

	/** Whether a process has fallen silent while it had this message. */
	boolean isSuspect() {
		return this.failures.crashes() > 0;
	}

	/** Whether the handler has failed with this message before. */
	boolean hasFailed() {
		return this.failures.failures() > 0;
	}

	/**
	 * Looks whether it is too late for an attempt to begin, by the clock of Redis. That
	 * is remembered, but what has begun in time does not expire.
	 */
	boolean expire() {
		this.expired = this.expired || (this.expiryMillis >= 0 && this.lease.nowMicros() >= this.expiryMillis * 1000);
		return this.expired;
	}

	/** Whether the last look said so. */
	boolean hasExpired() {
		return this.expired;
	}

	/** Others may have its place from now on. */
	void returnPermit() {
		this.permitReturned = true;
	}

	boolean hasReturnedPermit() {
		return this.permitReturned;
	}

	/** Nobody knows when it can be settled: it is counted no more, and has no place. */
	void strand() {
		this.stranded = true;
	}

	boolean isStranded() {
		return this.stranded;
	}

	/** Before when an attempt may begin, ms since 1970; -1 for ever. */
	long expiryMillis() {
		return this.expiryMillis;
	}

	/** Its handler has run for too long, and what it returns does not count. */
	void abandon() {
		this.abandoned = true;
	}

	/** The lease was renewed by a call that was sent then. */
	void renewed(long sentNanos) {
		this.leaseSinceNanos = sentNanos;
	}

	/** It is being settled: what becomes of its lease is of no interest any more. */
	void settling() {
		this.settling = true;
	}

	boolean isSettling() {
		return this.settling;
	}

	/** Whether the lease is known to be lost, or the handler may have stopped for it. */
	boolean isGivenUp() {
		return this.leaseLost || this.handlerSawLoss;
	}

	/** The lease is known to be lost. Says whether that is news. */
	boolean loseLease() {
		boolean news = !this.leaseLost;
		this.leaseLost = true;
		return news;
	}

	/** The token of the call that scheduled the message. */
	String token() {
		return this.message.envelope().token();
	}

	long dueMillis() {
		return this.message.dueMillis();
	}

	/**
	 * The time of Redis after a wait from now, but the expiry at the latest, ms since
	 * 1970.
	 */
	long dueAfter(Duration wait) {
		long now = this.lease.nowMicros() / 1000;
		long due = now + wait.toMillis();
		return (this.expiryMillis > now) ? Math.min(due, this.expiryMillis) : due;
	}

	/** For how long the message has been due; never negative. */
	Duration lateness() {
		return Duration.ofNanos(Math.max(0, (this.lease.nowMicros() - this.message.dueMillis() * 1000) * 1000));
	}

	@Override
	public String queue() {
		return this.partition.queue();
	}

	@Override
	public String id() {
		return this.id;
	}

	@Override
	public @Nullable String group() {
		return this.message.envelope().group();
	}

	@Override
	public Map<String, String> headers() {
		return this.message.envelope().headers();
	}

	@Override
	public byte[] payload() {
		return this.message.envelope().payload();
	}

	@Override
	public Instant dueAt() {
		return Instant.ofEpochMilli(this.message.dueMillis());
	}

	@Override
	public int attempt() {
		return this.failures.attempts() + 1;
	}

	@Override
	public int maxAttempts() {
		return this.retry.maxAttempts();
	}

	@Override
	public boolean isLeaseLost() {
		if (this.abandoned) {
			// The attempt has failed already, and its lease is kept until that is settled
			return true;
		}
		boolean lost = hasLostLease();
		if (lost) {
			this.handlerSawLoss = true;
		}
		return lost;
	}

	/**
	 * Also if Redis may have given the message to another process, going by our own clock
	 * alone, because it tells how long this process stood still.
	 */
	boolean hasLostLease() {
		return this.leaseLost || System.nanoTime() - this.leaseSinceNanos >= this.lease.visibilityTimeout().toNanos();
	}

	/**
	 * Whether the handler may have stopped half-way because it saw that the lease is
	 * lost.
	 */
	boolean hasHandlerSeenLoss() {
		return this.handlerSawLoss;
	}

}
