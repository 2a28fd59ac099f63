package io.delayqueue.fleet;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.Signals.PartitionSignals;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Hint;
import io.delayqueue.store.Hint.Kind;
import io.delayqueue.store.HintChannel;
import org.jspecify.annotations.Nullable;

/**
 * When another message becomes the first to be due in a partition, notifies the process
 * that sweeps the partition. When a message is cancelled, notifies the process that
 * handles the message. This process is notified by a signal, another process by a hint (a
 * published message of Redis). Tasks send the hints, one task for each server of Redis,
 * so that no caller waits for a hint, and no hint waits for another server. At most one
 * hint about due messages is sent at a time for each partition. If a hint fails, it is
 * dropped: the member that sweeps in the next second finds the message when its turn
 * begins.
 */
public final class Wakeups {

	/**
	 * The most members to which single hints are sent; if more members must be notified,
	 * one hint goes to all processes.
	 */
	private static final int MOST_HINTS = 4;

	/** The most hints that wait for a server; further hints are dropped. */
	private static final int MOST_WAITING = 10_000;

	private static final Pause NONE_TO_SEND = Pause.of(TimeUnit.HOURS.toNanos(1));

	private final Signals signals;

	private final HintChannel hints;

	private final Fleet fleet;

	private final TaskPool tasks;

	/** The senders of hints, by the server that they call. */
	private final Map<String, Publisher> publishers = new ConcurrentHashMap<>();

	/**
	 * Creates the wakeups.
	 * @param signals the signals between actors of this process
	 * @param hints the channel to other processes
	 * @param fleet decides which member sweeps a partition
	 * @param tasks runs the tasks that send hints
	 */
	public Wakeups(Signals signals, HintChannel hints, Fleet fleet, TaskPool tasks) {
		this.tasks = tasks;
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
		if (this.fleet.hintTarget(partition, inNanos).isForOthersThan(this.fleet.member())) {
			publisher(partition).due(partition, System.nanoTime() + inNanos);
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
				send(new Hint(Kind.READY, partition), partition, null);
			}
			return others.size();
		}
		if (to > MOST_HINTS) {
			send(new Hint(Kind.READY, partition), partition, null);
			return others.size();
		}
		others.subList(Math.min(from, to), to)
			.forEach((member) -> send(new Hint(Kind.READY, partition), partition, member));
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
			send(new Hint(Kind.READY, partition), partition, member);
		}
	}

	/**
	 * Makes all processes that consume a partition check whether the partition is paused
	 * or held.
	 * @param partition the partition
	 */
	public void switched(Partition partition) {
		this.signals.consumer(partition.queue()).switched(partition);
		send(new Hint(Kind.SWITCHED, partition), partition, null);
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
			send(new Hint(how, partition, elsewhere), partition, null);
		}
	}

	/**
	 * Sends a hint to this process itself over each server that has a partition which
	 * this process consumes. The process only notices that it receives hints.
	 */
	void echo() {
		this.fleet.consumed()
			.stream()
			.flatMap((epochs) -> epochs.partitions().stream())
			.collect(Collectors.toMap(this.hints::server, (partition) -> partition, (first, second) -> first))
			.values()
			.forEach((partition) -> send(new Hint(Kind.READY, partition), partition, this.fleet.member()));
	}

	private void send(Hint hint, Partition partition, @Nullable String member) {
		publisher(partition).send(hint, member);
	}

	private Publisher publisher(Partition partition) {
		return this.publishers.computeIfAbsent(this.hints.server(partition), (server) -> new Publisher());
	}

	/**
	 * A hint that is not sent yet.
	 *
	 * @param hint the hint
	 * @param member the process that gets the hint, {@code null} for all processes
	 */
	private record Unsent(Hint hint, @Nullable String member) {
	}

	/** Sends the hints about the partitions of one server. */
	private final class Publisher {

		/**
		 * The unsent hints about due messages: for each partition, the time at which its
		 * first message is due, by {@link System#nanoTime()}.
		 */
		private final Map<Partition, Long> due = new ConcurrentHashMap<>();

		/** The other unsent hints. */
		private final Queue<Unsent> others = new LinkedBlockingQueue<>(MOST_WAITING);

		private final Task task = Wakeups.this.tasks.unlisted("delayqueue-hints-out", this::publish);

		void due(Partition partition, long atNanos) {
			this.due.merge(partition, atNanos, Math::min);
			this.task.wake();
		}

		void send(Hint hint, @Nullable String member) {
			this.others.offer(new Unsent(hint, member));
			this.task.wake();
		}

		private Pause publish() {
			for (Unsent next = this.others.poll(); next != null; next = this.others.poll()) {
				Wakeups.this.hints.publish(next.hint(), next.member());
			}
			if (!this.due.isEmpty()) {
				Wakeups.this.fleet.look();
			}
			for (Partition partition : List.copyOf(this.due.keySet())) {
				Long dueNanos = this.due.remove(partition);
				HintTarget target = (dueNanos != null)
						? Wakeups.this.fleet.hintTarget(partition, dueNanos - System.nanoTime()) : HintTarget.NOBODY;
				if (target.isNeeded()) {
					Wakeups.this.hints.publish(new Hint(Kind.DUE, partition), target.member());
				}
			}
			return NONE_TO_SEND;
		}

	}

}
