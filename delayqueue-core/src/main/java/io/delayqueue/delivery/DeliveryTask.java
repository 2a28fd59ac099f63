package io.delayqueue.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.delayqueue.queue.Partition;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of a message in this process, from the read that delivered the message
 * until Redis has answered the settlement.
 */
final class DeliveryTask implements Delivery {

	private final Partition partition;

	private final String entry;

	private final StoredId storedId;

	private final MessageRecord message;

	private final FailureRecord failures;

	private final RetrySettings retry;

	private final long expiryMillis;

	private final ReadLease lease;

	/**
	 * Whether the message has expired; only the first worker that gets the delivery
	 * writes this field.
	 */
	private boolean expired;

	// shared and safe

	private volatile Stage stage = Stage.UNSTARTED;

	private volatile boolean abandoned;

	private volatile boolean cancelled;

	private volatile boolean replaced;

	private volatile long leaseSinceNanos;

	private volatile boolean leaseLost;

	private volatile boolean handlerSawLoss;

	private volatile boolean permitReturned;

	private volatile boolean occupies;

	DeliveryTask(Partition partition, Entry entry, MessageRecord message, RetrySettings retry, ReadLease lease) {
		this.partition = partition;
		this.entry = entry.entry();
		this.storedId = entry.storedId();
		this.message = message;
		this.failures = entry.failures();
		this.retry = retry.with(message.envelope().retry());
		this.expiryMillis = entry.expiryMillis();
		this.lease = lease;
		this.leaseSinceNanos = lease.askedNanos();
	}

	/**
	 * Moves this delivery to the given stage.
	 * @return {@code false} if that stage cannot follow the current stage, which then
	 * does not change
	 */
	synchronized boolean enter(Stage next) {
		boolean follows = this.stage.allows(next);
		if (follows) {
			this.stage = next;
			this.abandoned = this.abandoned || next == Stage.ABANDONED;
		}
		return follows;
	}

	Stage stage() {
		return this.stage;
	}

	/** Whether the settlement of this delivery is decided. */
	boolean isSettling() {
		return stage().compareTo(Stage.SETTLING) >= 0;
	}

	Partition partition() {
		return this.partition;
	}

	String entry() {
		return this.entry;
	}

	/** Returns the id and the group of the message. */
	StoredId storedId() {
		return this.storedId;
	}

	FailureRecord failures() {
		return this.failures;
	}

	RetrySettings retry() {
		return this.retry;
	}

	/** Whether an earlier consumer of this message has stopped renewing its lease. */
	boolean hasCrashed() {
		return this.failures.crashes() > 0;
	}

	/**
	 * Whether this message may have killed its earlier consumers: it has crashed twice,
	 * or once if its next crash could make it a dead letter.
	 */
	boolean isSuspect() {
		return this.failures.crashes() >= Math.max(1, Math.min(2, this.retry.maxCrashes() - 1));
	}

	/**
	 * Records that this delivery occupies one of the permits that messages with crashes
	 * may have.
	 */
	void occupy() {
		this.occupies = true;
	}

	boolean occupies() {
		return this.occupies;
	}

	/** Whether the handler has failed with this message before. */
	boolean hasFailed() {
		return this.failures.failures() > 0;
	}

	/**
	 * Checks by the clock of Redis whether the message has expired, so that its attempt
	 * must not begin. An attempt that has begun in time does not expire.
	 */
	boolean expire() {
		this.expired = this.expired || (this.expiryMillis >= 0 && this.lease.nowMicros() >= this.expiryMillis * 1000);
		return this.expired;
	}

	/** Whether the message had expired before its attempt could begin. */
	boolean hasExpired() {
		return this.expired;
	}

	/**
	 * Records that this delivery has given back its permit, so that another message can
	 * take the permit.
	 */
	void returnPermit() {
		this.permitReturned = true;
	}

	boolean hasReturnedPermit() {
		return this.permitReturned;
	}

	/**
	 * Returns the time before which an attempt to handle the message must begin, ms since
	 * 1970; -1 for no limit.
	 */
	long expiryMillis() {
		return this.expiryMillis;
	}

	/**
	 * Records that a call to Redis that was sent at the given time has renewed the lease.
	 */
	void renewed(long sentNanos) {
		this.leaseSinceNanos = sentNanos;
	}

	/**
	 * Whether Redis has reported the lease as lost, or {@link #isLeaseLost} has returned
	 * {@code true} before.
	 */
	boolean isGivenUp() {
		return this.leaseLost || this.handlerSawLoss;
	}

	/**
	 * Records that the lease is lost, and returns {@code true} at the first call only.
	 */
	boolean loseLease() {
		boolean known = this.leaseLost;
		this.leaseLost = true;
		return !known;
	}

	/**
	 * Records that the message was cancelled or purged, and returns {@code true} at the
	 * first call only.
	 */
	synchronized boolean cancel() {
		boolean first = !this.cancelled;
		this.cancelled = true;
		return first;
	}

	/**
	 * Records that another message has replaced the message, so that no handler must
	 * begin with this one. A handler that runs ends as if nothing had happened.
	 */
	void replaced() {
		this.replaced = true;
	}

	boolean isReplaced() {
		return this.replaced;
	}

	/** Returns the token of the call that scheduled the message. */
	String token() {
		return this.message.envelope().token();
	}

	long dueMillis() {
		return this.message.dueMillis();
	}

	/** Returns how long the lease lasts without a renewal. */
	Duration visibilityTimeout() {
		return this.lease.visibilityTimeout();
	}

	/** Returns the current time of Redis, ms since 1970. */
	long nowMillis() {
		return this.lease.nowMicros() / 1000;
	}

	/**
	 * Returns the time, by the clock of Redis, at which a wait that begins now ends, ms
	 * since 1970; not later than the expiry of the message, if this expiry is in the
	 * future.
	 */
	long dueAfter(Duration wait) {
		long now = nowMillis();
		long due = now + wait.toMillis();
		return (this.expiryMillis > now) ? Math.min(due, this.expiryMillis) : due;
	}

	/** Returns for how long the message has been due; never negative. */
	Duration lateness() {
		return Duration.ofNanos(Math.max(0, (this.lease.nowMicros() - this.message.dueMillis() * 1000) * 1000));
	}

	@Override
	public String queue() {
		return this.partition.queue();
	}

	@Override
	public String id() {
		return this.storedId.id();
	}

	@Override
	public @Nullable String group() {
		return this.storedId.group();
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
	public boolean isOverruled() {
		return this.abandoned || this.cancelled;
	}

	@Override
	public boolean isCancelled() {
		return this.cancelled;
	}

	@Override
	public boolean isLeaseLost() {
		if (this.abandoned) {
			// The attempt has already failed because of its timeout; this process keeps
			// the lease only until Redis has stored the settlement
			return true;
		}
		boolean lost = hasLostLease();
		if (lost) {
			this.handlerSawLoss = true;
		}
		return lost;
	}

	/**
	 * Whether Redis has reported the lease as lost, or this process has not renewed the
	 * lease within the visibility timeout. The clock of this process measures the
	 * visibility timeout, and also runs while the process is suspended.
	 */
	boolean hasLostLease() {
		return this.leaseLost || System.nanoTime() - this.leaseSinceNanos >= this.lease.visibilityTimeout().toNanos();
	}

	/**
	 * Whether {@link #isLeaseLost} has returned {@code true} to the handler, which may
	 * have stopped half-way.
	 */
	boolean hasHandlerSeenLoss() {
		return this.handlerSawLoss;
	}

}
