package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.ReadyMessages.Read;
import org.jspecify.annotations.Nullable;

/**
 * The state that the parts of one consumer share from the start of the consumer to its
 * stop: whether the consumer is closing, is paused or may call Redis, its permits, the
 * deliveries that it holds, and the suspect of the process (a message that may kill its
 * process). A part that waits for a change of this state registers a callback, which this
 * class runs when the state changes. Safe for use by several threads.
 */
final class ConsumerState {

	private static final long THROTTLED_NANOS = TimeUnit.MINUTES.toNanos(2);

	// immutable

	private final QueueSettings settings;

	private final String consumer;

	private final BooleanSupplier paused;

	private final RedisGate gate;

	private final Duration backstop;

	private final Permits permits;

	private final SuspectIsolation isolation;

	// shared and safe

	/**
	 * The state of each partition, also of a partition of an ended epoch (an earlier
	 * partition count) while this process holds a message of it.
	 */
	private final Map<Partition, PartitionState> partitions = new ConcurrentHashMap<>();

	/**
	 * The number of reads that are being dispatched, plus the number of settlements that
	 * Redis has neither accepted nor refused.
	 */
	private final AtomicInteger underway = new AtomicInteger();

	/** The number of permits that messages with crashes occupy. */
	private final AtomicInteger occupied = new AtomicInteger();

	private final List<Runnable> onReadable = new CopyOnWriteArrayList<>();

	private final List<Runnable> onPermit = new CopyOnWriteArrayList<>();

	private volatile Runnable onEnded = () -> {
	};

	private volatile boolean closing;

	private volatile long throttledNanos = System.nanoTime() - THROTTLED_NANOS;

	/**
	 * Creates the state of a consumer that has no deliveries yet.
	 * @param settings the queue's settings, with the concurrency of the consumer
	 * @param consumer the name of the consumer in the consumer group
	 * @param paused reports whether the consumer is paused in this process
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param backstop the longest interval between two reads of an idle partition
	 * @param isolation the suspect that all consumers of the process share
	 */
	ConsumerState(QueueSettings settings, String consumer, BooleanSupplier paused, RedisGate gate, Duration backstop,
			SuspectIsolation isolation) {
		this.settings = settings;
		this.consumer = consumer;
		this.paused = paused;
		this.gate = gate;
		this.backstop = backstop;
		this.permits = new Permits(settings.concurrency(), () -> this.onPermit.forEach(Runnable::run));
		this.isolation = isolation;
	}

	QueueSettings settings() {
		return this.settings;
	}

	String queue() {
		return this.settings.name();
	}

	/** Returns the name of the consumer in the consumer group. */
	String consumer() {
		return this.consumer;
	}

	RedisGate gate() {
		return this.gate;
	}

	/** Returns the longest interval between two reads of an idle partition. */
	Duration backstop() {
		return this.backstop;
	}

	Permits permits() {
		return this.permits;
	}

	SuspectIsolation isolation() {
		return this.isolation;
	}

	PartitionState partition(Partition partition) {
		return this.partitions.computeIfAbsent(partition, (added) -> new PartitionState(added, this.settings));
	}

	/** Removes the state of a partition of which this process holds no message. */
	void forget(Partition partition) {
		this.partitions.remove(partition);
	}

	/** Closes the consumer, which reads no message and calls no handler from now on. */
	void close() {
		this.closing = true;
	}

	boolean isClosing() {
		return this.closing;
	}

	/**
	 * Whether the consumer may read messages of the partition. The consumer reads no
	 * messages of a partition in which the number of its refused settlements has reached
	 * the number of its permits.
	 */
	boolean isReadable(PartitionState partition) {
		return !this.closing && this.gate.isOpen() && !this.paused.getAsBoolean() && this.isolation.isOpen()
				&& partition.refused() < this.settings.concurrency();
	}

	/** Whether the last call for at least one partition reported the given state. */
	boolean isAny(Read.State state) {
		return this.partitions.values().stream().anyMatch((partition) -> partition.stopped() == state);
	}

	/**
	 * Registers a callback that runs when an obstacle to reading messages is gone, and
	 * one that runs when a permit is free again.
	 */
	void register(Runnable readable, Runnable permit) {
		this.onReadable.add(readable);
		this.onPermit.add(permit);
	}

	/** Removes the callbacks of {@link #register}. */
	void forget(Runnable readable, Runnable permit) {
		this.onReadable.remove(readable);
		this.onPermit.remove(permit);
	}

	/** Sets the callback that runs when Redis has accepted or refused a settlement. */
	void onEnded(Runnable wakeUp) {
		this.onEnded = wakeUp;
	}

	/**
	 * Wakes the readers of all partitions, because an obstacle to reading messages is
	 * gone.
	 */
	void readable() {
		this.onReadable.forEach(Runnable::run);
	}

	/**
	 * Records the deliveries of a read. The lease renewer renews the leases of these
	 * deliveries from now on. No suspect begins until {@link #dispatched} is called.
	 */
	void received(List<DeliveryTask> tasks) {
		this.underway.incrementAndGet();
		tasks.forEach((task) -> partition(task.partition()).received(task));
	}

	/** Records that all deliveries of a read have gone to workers or were released. */
	void dispatched() {
		this.underway.decrementAndGet();
	}

	/**
	 * Frees the permit of a delivery for another message before the delivery is settled.
	 * The delivery stays in flight until it is settled.
	 */
	void returnPermit(DeliveryTask task) {
		task.returnPermit();
		this.permits.leave(1);
	}

	/**
	 * Lets a message with crashes occupy a permit. Such messages may occupy all permits
	 * but one: the messages of a dead process must not stop the other work of this one.
	 * @return {@code false} if there is no such permit
	 */
	boolean occupy(DeliveryTask task) {
		int most = Math.max(1, this.settings.concurrency() - 1);
		if (this.occupied.getAndUpdate((now) -> Math.min(now + 1, most)) == most) {
			return false;
		}
		task.occupy();
		return true;
	}

	/**
	 * Passes a settlement to the writer of its partition. A partition whose state was
	 * removed had no unsettled delivery.
	 */
	void settle(Settlement settlement) {
		PartitionState known = this.partitions.get(settlement.task().partition());
		if (known != null) {
			known.settle(settlement);
		}
	}

	/**
	 * Marks a delivery as about to be settled, and frees its permit for another message.
	 * A suspect keeps its permit until its settlement is stored.
	 * @return {@code false} if the delivery already has a settlement
	 */
	boolean settling(DeliveryTask task) {
		if (!task.enter(Stage.SETTLING)) {
			return false;
		}
		this.underway.incrementAndGet();
		if (!task.isSuspect() && !task.hasReturnedPermit() && this.permits.leaveEarly()) {
			task.returnPermit();
		}
		return true;
	}

	/**
	 * Records that Redis has refused to settle a delivery. The delivery no longer counts
	 * as in flight, but its lease is still renewed.
	 */
	void refused(DeliveryTask task) {
		task.enter(Stage.REFUSED);
		partition(task.partition()).refuse(1);
		ended(task);
	}

	/**
	 * Records that Redis has settled a delivery.
	 * @return whether Redis had refused the settlement of this delivery before
	 */
	boolean settled(DeliveryTask task) {
		PartitionState partition = partition(task.partition());
		partition.settled(task);
		boolean refusedBefore = task.stage() == Stage.REFUSED;
		task.enter(Stage.SETTLED);
		if (refusedBefore) {
			partition.refuse(-1);
		}
		else {
			ended(task);
		}
		return refusedBefore;
	}

	/**
	 * Gives the permit of a delivery back. If the message is a suspect, this call allows
	 * the next suspect to begin. If the next suspect began before the settlement of this
	 * one is stored, its crash would count for both suspects.
	 */
	private void ended(DeliveryTask task) {
		if (task.hasReturnedPermit()) {
			this.permits.ended(1);
		}
		else {
			this.permits.giveBack(1);
		}
		if (task.occupies()) {
			this.occupied.decrementAndGet();
		}
		this.underway.decrementAndGet();
		this.isolation.ended(task);
		this.onEnded.run();
	}

	/** Whether no read is being dispatched and no settlement waits for Redis. */
	boolean isSettled() {
		return this.underway.get() == 0;
	}

	/** Records that the limits of the queue have just delayed messages. */
	void throttled() {
		this.throttledNanos = System.nanoTime();
	}

	/** Whether the limits of the queue have delayed messages in the last two minutes. */
	boolean isThrottled() {
		return System.nanoTime() - this.throttledNanos < THROTTLED_NANOS;
	}

	/** Returns the deliveries of a partition that were read and are not settled. */
	List<DeliveryTask> held(Partition partition) {
		return partition(partition).held();
	}

	/** Returns the delivery of an entry that the consumer has read and not settled. */
	@Nullable DeliveryTask held(Partition partition, String entry) {
		PartitionState known = this.partitions.get(partition);
		return (known != null) ? known.held(entry) : null;
	}

	/**
	 * Waits until all messages in flight are settled or refused, or until the timeout.
	 * @return the number of messages that are unsettled
	 */
	int awaitSettled(Duration timeout) {
		this.permits.awaitAllBack(timeout);
		return Math.max(this.permits.taken(),
				this.partitions.values().stream().mapToInt((partition) -> partition.held().size()).sum());
	}

}
