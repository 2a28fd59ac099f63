package io.delayqueue.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.delayqueue.lifecycle.BackgroundLoop;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Signals.PartitionSignals;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Hint;
import io.delayqueue.store.Hint.Kind;
import io.delayqueue.store.HintChannel;

/**
 * When another message becomes the first to be due in a partition, notifies the process
 * that sweeps the partition. When a message is cancelled, notifies the process that
 * handles the message. This process is notified by a signal, another process by a hint (a
 * published message of Redis). A background thread sends the hints, at most one hint
 * about due messages at a time for each partition. If a hint fails, it is dropped: the
 * member that sweeps in the next second finds the message when its turn begins.
 */
public final class SweepNotifier implements AutoCloseable {

	/**
	 * The most members to which single hints are sent; if more members must be notified,
	 * one hint goes to all processes.
	 */
	private static final int MOST_HINTS = 4;

	private static final long IDLE_WAIT_NANOS = TimeUnit.HOURS.toNanos(1);

	private final Signals signals;

	private final HintChannel hints;

	private final Fleet fleet;

	/**
	 * The unsent hints about due messages: for each partition, the time at which its
	 * first message is due, by {@link System#nanoTime()}.
	 */
	private final Map<Partition, Long> pending = new ConcurrentHashMap<>();

	/**
	 * The hints to send about cancelled messages that other processes may be handling.
	 */
	private final Queue<Hint> removed = new ConcurrentLinkedQueue<>();

	private final BackgroundLoop publisher = new BackgroundLoop("delayqueue-hints-out", this::publish);

	/**
	 * Creates the notifier.
	 * @param signals the signals between actors of this process
	 * @param hints the channel to other processes
	 * @param fleet decides which member sweeps a partition
	 */
	public SweepNotifier(Signals signals, HintChannel hints, Fleet fleet) {
		this.signals = signals;
		this.hints = hints;
		this.fleet = fleet;
	}

	/**
	 * Announces a message that may be the first to become due in its partition: notifies
	 * the process that sweeps the partition.
	 * @param partition the partition
	 * @param inNanos the time until the message is due, ns
	 */
	public void due(Partition partition, long inNanos) {
		this.signals.due(partition, inNanos);
		String member = this.fleet.memberToHint(partition, inNanos);
		if (member == null || !(member.isEmpty() || member.equals(this.fleet.member()))) {
			this.pending.merge(partition, System.nanoTime() + inNanos, Math::min);
			this.publisher.start();
			this.publisher.wakeUp();
		}
	}

	/**
	 * Notifies other members that a partition has more ready messages than this process
	 * has read.
	 * @param partition the partition
	 * @param from the number of members that were notified before
	 * @param to the number of members to be notified in total
	 * @return the number of members that have been notified in total
	 */
	public int ready(Partition partition, int from, int to) {
		List<String> others = this.fleet.others(partition);
		if (to >= others.size()) {
			if (from < others.size()) {
				this.hints.publish(new Hint(Kind.READY, partition), null);
			}
			return others.size();
		}
		if (to > MOST_HINTS) {
			this.hints.publish(new Hint(Kind.READY, partition), null);
			return others.size();
		}
		others.subList(Math.min(from, to), to)
			.forEach((member) -> this.hints.publish(new Hint(Kind.READY, partition), member));
		return to;
	}

	/**
	 * Returns the name of this process in the list of members.
	 * @return the name, for {@link #readable}
	 */
	public String member() {
		return this.fleet.member();
	}

	/**
	 * Makes the reader of a partition in one process read again.
	 * @param partition the partition
	 * @param member the name of the process in the list of members
	 */
	public void readable(Partition partition, String member) {
		if (member.equals(member())) {
			this.signals.consumer(partition.queue()).ready(partition);
		}
		else {
			this.hints.publish(new Hint(Kind.READY, partition), member);
		}
	}

	/**
	 * Makes all processes that consume a partition check whether the partition is paused
	 * or held.
	 * @param partition the partition
	 */
	public void switched(Partition partition) {
		this.signals.consumer(partition.queue()).switched(partition);
		this.hints.publish(new Hint(Kind.SWITCHED, partition), null);
	}

	/**
	 * Announces cancelled, replaced or purged messages to the consumers that may be
	 * handling them. If a hint is lost, the renewal of leases detects a cancellation.
	 * @param partition the partition
	 * @param entries the stream entries of the messages
	 * @param how {@link Kind#CANCELLED} or {@link Kind#REPLACED}
	 */
	public void removed(Partition partition, List<String> entries, Kind how) {
		PartitionSignals consumer = this.signals.consumer(partition.queue());
		List<String> elsewhere = entries.stream()
			.filter((entry) -> !consumer.removed(partition, entry, how == Kind.REPLACED))
			.toList();
		if (!elsewhere.isEmpty()) {
			this.removed.add(new Hint(how, partition, elsewhere));
			this.publisher.start();
			this.publisher.wakeUp();
		}
	}

	@Override
	public void close() {
		this.publisher.stop(Duration.ZERO);
	}

	private long publish() {
		for (Hint hint = this.removed.poll(); hint != null; hint = this.removed.poll()) {
			this.hints.publish(hint, null);
		}
		if (this.pending.isEmpty()) {
			return IDLE_WAIT_NANOS;
		}
		look();
		for (Partition partition : List.copyOf(this.pending.keySet())) {
			Long dueNanos = this.pending.remove(partition);
			String member = (dueNanos != null) ? this.fleet.memberToHint(partition, dueNanos - System.nanoTime()) : "";
			if (member == null || !member.isEmpty()) {
				this.hints.publish(new Hint(Kind.DUE, partition), member);
			}
		}
		return IDLE_WAIT_NANOS;
	}

	private void look() {
		try {
			this.fleet.look();
		}
		catch (RuntimeException unavailable) {
			// Without the list of members, the hints are sent to all processes
		}
	}

}
