package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.delayqueue.delivery.DeliveryTask.Stage;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.ReadyMessages.Read;
import org.jspecify.annotations.Nullable;

/**
 * The state that the stages of one consumer share, from its start to its stop: whether it
 * closes, is paused or may call Redis, its permits, the deliveries that it holds, and the
 * suspect that runs alone. A stage that waits for a change registers a wake-up. Safe for
 * use by several threads.
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

	/** Includes the partitions of ended epochs, because a handler may return late. */
	private final Map<Partition, PartitionState> partitions = new ConcurrentHashMap<>();

	private final Map<String, DeliveryTask> held = new ConcurrentHashMap<>();

	/** Deliveries that a read brings in, and settlements that Redis has not taken. */
	private final AtomicInteger underway = new AtomicInteger();

	private final List<Runnable> onReadable = new CopyOnWriteArrayList<>();

	private final List<Runnable> onPermit = new CopyOnWriteArrayList<>();

	private volatile Runnable onEnded = () -> {
	};

	private volatile boolean closing;

	private volatile long throttledNanos = System.nanoTime() - THROTTLED_NANOS;

	private volatile int reading = 1;

	/**
	 * Creates the state of a consumer that holds nothing.
	 * @param settings the queue's settings, with the concurrency of the consumer
	 * @param consumer the name of the consumer in the consumer group
	 * @param paused whether the consumer is paused in this process
	 * @param gate the gate to Redis
	 * @param backstop the longest interval between two reads of an idle partition
	 */
	ConsumerState(QueueSettings settings, String consumer, BooleanSupplier paused, RedisGate gate, Duration backstop) {
		this.settings = settings;
		this.consumer = consumer;
		this.paused = paused;
		this.gate = gate;
		this.backstop = backstop;
		this.permits = new Permits(settings.concurrency(), () -> this.onPermit.forEach(Runnable::run));
		this.isolation = new SuspectIsolation(settings.visibilityTimeout(), settings.retry().timeout());
	}

	QueueSettings settings() {
		return this.settings;
	}

	String queue() {
		return this.settings.name();
	}

	/** The name of the consumer in the consumer group. */
	String consumer() {
		return this.consumer;
	}

	RedisGate gate() {
		return this.gate;
	}

	/** The longest interval between two reads of an idle partition. */
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

	/** The most messages of one read: a partition that hangs holds no more permits. */
	int shareOfARead() {
		return Math.max(1, this.settings.concurrency() / this.reading);
	}

	/** Sets the number of partitions that are read. */
	void reading(int partitions) {
		this.reading = partitions;
	}

	/**
	 * The groups that have workers of their own, and how many of their messages these
	 * workers handle at once.
	 */
	Map<String, Integer> dedicated() {
		Map<String, Integer> dedicated = new TreeMap<>();
		this.settings.groups().overrides().forEach((group, override) -> {
			if (override.dedicated()) {
				Integer own = override.concurrency();
				dedicated.put(group, (own != null) ? own : this.settings.concurrency());
			}
		});
		return dedicated;
	}

	// Closing and pausing

	/** The consumer closes: from now on it calls no handler. */
	void close() {
		this.closing = true;
	}

	boolean isClosing() {
		return this.closing;
	}

	/** Whether messages of the partition may be read. */
	boolean isReadable(PartitionState partition) {
		return !this.closing && this.gate.isOpen() && !this.paused.getAsBoolean() && this.isolation.isOpen()
				&& partition.refused() < this.settings.concurrency();
	}

	/** Whether any partition is in a state, as far as this process has seen. */
	boolean isAny(Read.State state) {
		return this.partitions.values().stream().anyMatch((partition) -> partition.stopped() == state);
	}

	// Wake-ups

	/** Registers a wake-up for when an obstacle to reading is gone. */
	void onReadable(Runnable wakeUp) {
		this.onReadable.add(wakeUp);
	}

	/** Registers a wake-up for when a permit is free again. */
	void onPermit(Runnable wakeUp) {
		this.onPermit.add(wakeUp);
	}

	/** Removes wake-ups. */
	void forget(Runnable readable, Runnable permit) {
		this.onReadable.remove(readable);
		this.onPermit.remove(permit);
	}

	/** Sets the wake-up for when a delivery has ended. */
	void onEnded(Runnable wakeUp) {
		this.onEnded = wakeUp;
	}

	/** An obstacle to reading is gone. */
	void readable() {
		this.onReadable.forEach(Runnable::run);
	}

	// The way of a delivery

	/**
	 * A read has brought deliveries. The lease renewer sees them from now on, and no
	 * suspect begins before {@link #dispatched}.
	 */
	void received(List<DeliveryTask> tasks) {
		this.underway.incrementAndGet();
		tasks.forEach((task) -> this.held.put(key(task.partition(), task.entry()), task));
	}

	/** The deliveries of one read wait for workers, or are given back. */
	void dispatched() {
		this.underway.decrementAndGet();
	}

	/** A delivery returns its permit early, and stays in flight until it is settled. */
	void returnPermit(DeliveryTask task) {
		task.returnPermit();
		this.permits.leave(1);
	}

	/**
	 * A delivery is about to be settled. Its permit is free for another message until
	 * then, except the permit of a suspect, so that a crash does not count for another
	 * suspect as well.
	 * @return {@code false} if it is being settled already
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
	 * Redis refuses to settle a delivery. The delivery no longer counts as in flight, and
	 * its lease is still renewed.
	 */
	void refused(DeliveryTask task) {
		task.enter(Stage.REFUSED);
		partition(task.partition()).refuse(1);
		ended(task);
	}

	/**
	 * Redis has settled a delivery.
	 * @return whether Redis had refused that before
	 */
	boolean settled(DeliveryTask task) {
		this.held.remove(key(task.partition(), task.entry()));
		partition(task.partition()).settled();
		boolean refusedBefore = task.stage() == Stage.REFUSED;
		task.enter(Stage.SETTLED);
		if (refusedBefore) {
			partition(task.partition()).refuse(-1);
		}
		else {
			ended(task);
		}
		return refusedBefore;
	}

	/**
	 * A suspect ends only now: a crash before its settlement would count for the next
	 * suspect as well.
	 */
	private void ended(DeliveryTask task) {
		if (task.hasReturnedPermit()) {
			this.permits.ended(1);
		}
		else {
			this.permits.giveBack(1);
		}
		this.underway.decrementAndGet();
		if (this.isolation.ended(task) && this.isolation.isOpen()) {
			readable();
		}
		this.onEnded.run();
	}

	/** Whether no read is being dispatched and no settlement waits for Redis. */
	boolean isSettled() {
		return this.underway.get() == 0;
	}

	/** The limits of the queue delay messages. */
	void throttled() {
		this.throttledNanos = System.nanoTime();
	}

	/** Whether limits have delayed messages recently: members request grants in turns. */
	boolean isThrottled() {
		return System.nanoTime() - this.throttledNanos < THROTTLED_NANOS;
	}

	// What the consumer holds

	@Nullable DeliveryTask find(Partition partition, String entry) {
		return this.held.get(key(partition, entry));
	}

	/** The deliveries of a partition from their read until they are settled. */
	List<DeliveryTask> held(Partition partition) {
		return this.held.values().stream().filter((task) -> task.partition().equals(partition)).toList();
	}

	/**
	 * Waits until nothing is unsettled.
	 * @return the number of messages that are unsettled
	 */
	int awaitSettled(Duration timeout) {
		this.permits.awaitAllBack(timeout);
		return Math.max(this.permits.taken(), this.held.size());
	}

	private static String key(Partition partition, String entry) {
		return partition.place() + "/" + entry;
	}

}
