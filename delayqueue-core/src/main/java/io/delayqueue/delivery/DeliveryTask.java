package io.delayqueue.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages.Entry;
import org.jspecify.annotations.Nullable;

/**
 * A delivery on its way through this process.
 */
final class DeliveryTask implements Delivery {

	private final Partition partition;

	private final String entry;

	private final String id;

	private final MessageRecord message;

	private final FailureRecord failures;

	private final RetrySettings retry;

	private final long expiryMillis;

	private final Lease lease;

	/** Written by the worker that begins with the delivery, before it is handed on. */
	private boolean expired;

	// shared and safe

	private volatile Stage stage = Stage.UNSTARTED;

	private volatile boolean abandoned;

	private volatile long leaseSinceNanos;

	private volatile boolean leaseLost;

	private volatile boolean handlerSawLoss;

	private volatile boolean permitReturned;

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

	/** How far a delivery has come. */
	enum Stage {

		/** No handler has it. */
		UNSTARTED,

		/** A handler has it. */
		HANDLING,

		/** Its handler has run for too long: what the handler returns does not count. */
		ABANDONED,

		/** Its settlement is decided, and on its way to Redis. */
		SETTLING,

		/** Redis refuses its settlement, which is repeated without a permit. */
		REFUSED,

		/** Redis has taken its settlement. */
		SETTLED;

		private boolean allows(Stage next) {
			return switch (this) {
				case UNSTARTED -> next == HANDLING || next == SETTLING;
				case HANDLING -> next == ABANDONED || next == SETTLING;
				case ABANDONED -> next == SETTLING;
				case SETTLING -> next == REFUSED || next == SETTLED;
				case REFUSED -> next == SETTLED;
				case SETTLED -> false;
			};
		}

	}

	/**
	 * Enters a stage.
	 * @return {@code false} if that stage cannot follow the present one, which stays
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

	/** Whether its settlement is decided. */
	boolean isSettling() {
		return stage().compareTo(Stage.SETTLING) >= 0;
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
	 * Checks whether it is too late for an attempt to begin, by the clock of Redis. An
	 * attempt that has begun in time does not expire.
	 */
	boolean expire() {
		this.expired = this.expired || (this.expiryMillis >= 0 && this.lease.nowMicros() >= this.expiryMillis * 1000);
		return this.expired;
	}

	/** Whether the attempt was too late to begin. */
	boolean hasExpired() {
		return this.expired;
	}

	/** Another message may have its permit from now on. */
	void returnPermit() {
		this.permitReturned = true;
	}

	boolean hasReturnedPermit() {
		return this.permitReturned;
	}

	/** Before when an attempt may begin, ms since 1970; -1 for ever. */
	long expiryMillis() {
		return this.expiryMillis;
	}

	/** The lease was renewed by a call that was sent then. */
	void renewed(long sentNanos) {
		this.leaseSinceNanos = sentNanos;
	}

	/** Whether the lease is known to be lost, or the handler may have stopped for it. */
	boolean isGivenUp() {
		return this.leaseLost || this.handlerSawLoss;
	}

	/** Records that the lease is lost; returns whether that was not known. */
	boolean loseLease() {
		boolean known = this.leaseLost;
		this.leaseLost = true;
		return !known;
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
			// The attempt has failed already: the lease is kept for its settlement only
			return true;
		}
		boolean lost = hasLostLease();
		if (lost) {
			this.handlerSawLoss = true;
		}
		return lost;
	}

	/**
	 * Also if Redis may have given the message to another process, by our own clock
	 * alone, because that clock goes on while this process stands still.
	 */
	boolean hasLostLease() {
		return this.leaseLost || System.nanoTime() - this.leaseSinceNanos >= this.lease.visibilityTimeout().toNanos();
	}

	/** Whether the handler may have stopped half-way because it saw the loss. */
	boolean hasHandlerSeenLoss() {
		return this.handlerSawLoss;
	}

}
