package io.delayqueue.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.delayqueue.store.MessageRecord;
import io.delayqueue.store.Partition;
import org.jspecify.annotations.Nullable;

/**
 * A delivery on its way through this process.
 */
final class DeliveryTask implements Delivery {

	private final Partition partition;

	private final String entry;

	private final String id;

	private final MessageRecord message;

	private final int attempt;

	private final Lease lease;

	DeliveryTask(Partition partition, String entry, String id, MessageRecord message, int attempt, Lease lease) {
		this.partition = partition;
		this.entry = entry;
		this.id = id;
		this.message = message;
		this.attempt = attempt;
		this.lease = lease;
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

		/**
		 * Whether Redis may have given the message to another process: from our own clock
		 * alone, because it is the one that stands still when this process does.
		 */
		boolean isOver() {
			return System.nanoTime() - this.askedNanos >= this.visibilityTimeout.toNanos();
		}

		/** Redis's time now, us, going by the time that has passed here. */
		long nowMicros() {
			return this.redisMicros + (System.nanoTime() - this.answeredNanos) / 1000;
		}

	}

	Partition partition() {
		return this.partition;
	}

	String entry() {
		return this.entry;
	}

	long dueMillis() {
		return this.message.dueMillis();
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
		return this.attempt;
	}

	@Override
	public boolean isLeaseLost() {
		return this.lease.isOver();
	}

}
