package io.delayqueue.delivery;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.ReadyMessages.Read;
import org.jspecify.annotations.Nullable;

/**
 * The state of one partition that the parts of one consumer share. Safe for use by
 * several threads.
 */
final class PartitionState {

	/** The value of {@link #readingSince} while no read is under way. */
	static final long NOT_READING = Long.MIN_VALUE;

	/** For this time after messages were parked, more of them may wait for a slot. */
	private static final long PARKED_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Partition partition;

	/** The deliveries that were read and are not settled, by stream entry. */
	private final Map<String, DeliveryTask> held = new ConcurrentHashMap<>();

	private final AtomicInteger refused = new AtomicInteger();

	private volatile Duration visibilityTimeout;

	private volatile Read.State stopped = Read.State.OPEN;

	/** The held groups, each with the end of its hold by {@link System#nanoTime()}. */
	private volatile Map<String, Long> heldGroups = Map.of();

	private volatile long parkedNanos = Signals.longAgo();

	private volatile long readingSince = NOT_READING;

	private final AtomicLong reads = new AtomicLong();

	private volatile long renewedNanos = Signals.longAgo();

	private volatile long knownNanos = Signals.longAgo();

	private volatile long emptyAsOfNanos = Signals.longAgo();

	private volatile long notEmptyNanos = System.nanoTime() + Long.MIN_VALUE / 2;

	private volatile Runnable onMessages = () -> {
	};

	private volatile Consumer<Settlement> onSettlement = (settlement) -> {
	};

	private volatile Runnable onSettled = () -> {
	};

	private volatile Runnable onRenewal = () -> {
	};

	PartitionState(Partition partition, QueueSettings settings) {
		this.partition = partition;
		this.visibilityTimeout = settings.visibilityTimeout();
	}

	Partition partition() {
		return this.partition;
	}

	/**
	 * Returns the visibility timeout within which leases must be renewed: the shorter of
	 * the configured timeout and the timeout stored in Redis, because the reclaimer
	 * applies the stored timeout.
	 */
	Duration visibilityTimeout() {
		return this.visibilityTimeout;
	}

	void visibilityTimeout(Duration visibilityTimeout) {
		this.visibilityTimeout = visibilityTimeout;
	}

	/** Whether the last call to Redis has reported a pause or a hold of the partition. */
	boolean isStopped() {
		return this.stopped != Read.State.OPEN;
	}

	/**
	 * Returns the state of the partition that the last call to Redis has reported: open,
	 * paused or held.
	 */
	Read.State stopped() {
		return this.stopped;
	}

	/**
	 * Records whether the partition is paused or held for all processes, as a sweep or a
	 * read has reported.
	 * @return whether the state differs from the state that was recorded before
	 */
	boolean stop(Read.State now) {
		boolean changed = this.stopped != now;
		this.stopped = now;
		return changed;
	}

	/**
	 * Records the held groups, each with the end of its hold by
	 * {@link System#nanoTime()}.
	 */
	void hold(Map<String, Long> groups) {
		this.heldGroups = Map.copyOf(groups);
	}

	/**
	 * Removes the holds of the groups of the given deliveries, because a read has not
	 * marked these deliveries as held.
	 */
	void notHeld(List<DeliveryTask> read) {
		if (!this.heldGroups.isEmpty()) {
			Map<String, Long> held = new HashMap<>(this.heldGroups);
			read.forEach((task) -> held.remove(task.group()));
			hold(held);
		}
	}

	/**
	 * Whether a delivery must not begin, because its partition is paused or held, or its
	 * group is held.
	 */
	boolean holds(DeliveryTask task) {
		String group = task.group();
		Long until = (group != null) ? this.heldGroups.get(group) : null;
		return isStopped() || (until != null && until - System.nanoTime() > 0);
	}

	/**
	 * Records that a sweep of this process has parked messages, or that one of its
	 * settlements has given a slot to a parked message.
	 */
	void parked() {
		this.parkedNanos = System.nanoTime();
	}

	/**
	 * Whether parked messages may wait for the slot of a settled message, as far as this
	 * process knows.
	 */
	boolean mayHaveParked() {
		return System.nanoTime() - this.parkedNanos < PARKED_NANOS;
	}

	/**
	 * Returns when the read that is under way was sent, by {@link System#nanoTime()};
	 * {@link #NOT_READING} if no read is under way.
	 */
	long readingSince() {
		return this.readingSince;
	}

	void reading(long sentNanos) {
		this.readingSince = sentNanos;
		this.reads.incrementAndGet();
	}

	void notReading() {
		this.readingSince = NOT_READING;
	}

	/** Returns the number of reads that have been sent to Redis. */
	long reads() {
		return this.reads.get();
	}

	/**
	 * Records that a check by another component has found no pending message in the
	 * partition. The time {@code asOfNanos} is that of the check and not of the report,
	 * because a message may have arrived just after the check.
	 */
	void empty(long asOfNanos) {
		this.emptyAsOfNanos = asOfNanos;
	}

	/**
	 * Discards the results of checks that found no pending message and began before now,
	 * also if such a result arrives later.
	 */
	void notEmpty() {
		this.notEmptyNanos = System.nanoTime();
	}

	/**
	 * Returns how long the last check that found no pending message remains valid.
	 * @param nanos how long a check is valid, ns
	 * @return the time that is left, ns; 0 or less if the check is no longer valid
	 */
	long emptyFor(long nanos) {
		long asOf = this.emptyAsOfNanos;
		return (asOf - this.notEmptyNanos > 0) ? nanos - (System.nanoTime() - asOf) : 0;
	}

	/** Sets the callback that runs when a read has delivered messages. */
	void onMessages(Runnable wakeUp) {
		this.onMessages = wakeUp;
	}

	/**
	 * Runs the callback of {@link #onMessages}, because a read has delivered messages.
	 */
	void messagesRead() {
		this.onMessages.run();
	}

	/** Sets the callback that takes the settlements of the partition's messages. */
	void onSettlement(Consumer<Settlement> writer) {
		this.onSettlement = writer;
	}

	/** Passes a settlement to the callback of {@link #onSettlement}. */
	void settle(Settlement settlement) {
		this.onSettlement.accept(settlement);
	}

	/** Sets the callback that runs when Redis has settled a message. */
	void onSettled(Runnable wakeUp) {
		this.onSettled = wakeUp;
	}

	/** Records a delivery that a read has returned. */
	void received(DeliveryTask task) {
		this.held.put(task.entry(), task);
	}

	/**
	 * Records that Redis has settled a delivery, and runs the callback of
	 * {@link #onSettled}.
	 */
	void settled(DeliveryTask task) {
		this.held.remove(task.entry());
		this.onSettled.run();
	}

	/**
	 * Returns the delivery of a stream entry, {@code null} if it was not read or is
	 * settled.
	 */
	@Nullable DeliveryTask held(String entry) {
		return this.held.get(entry);
	}

	/** Returns the deliveries that were read and are not settled. */
	List<DeliveryTask> held() {
		return List.copyOf(this.held.values());
	}

	/**
	 * Sets the callback that requests an immediate renewal of all leases of the
	 * partition.
	 */
	void onRenewal(Runnable wakeUp) {
		this.onRenewal = wakeUp;
	}

	/** Requests a renewal of all leases that this consumer has in the partition. */
	void renewSoon() {
		this.onRenewal.run();
	}

	/**
	 * Records that a renewal that began at the given time has succeeded for all leases.
	 */
	void renewed(long nanos) {
		this.renewedNanos = nanos;
	}

	/**
	 * Whether a renewal that began at the given time or later has succeeded for all
	 * leases.
	 */
	boolean isRenewedSince(long nanos) {
		return this.renewedNanos - nanos >= 0;
	}

	/**
	 * Records that, after a lease renewal that began at the given time, this process
	 * holds every pending entry of this consumer.
	 */
	void known(long nanos) {
		this.knownNanos = nanos;
	}

	/**
	 * Whether, after a lease renewal that began at the given time or later, this process
	 * held every pending entry of this consumer.
	 */
	boolean isKnownSince(long nanos) {
		return this.knownNanos - nanos >= 0;
	}

	/** Returns the number of deliveries whose settlement Redis refuses. */
	int refused() {
		return this.refused.get();
	}

	void refuse(int settlements) {
		this.refused.addAndGet(settlements);
	}

}
