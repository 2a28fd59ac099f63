package io.delayqueue.lifecycle;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;

/**
 * Passes signals about a queue or a partition between actors (background activities and
 * callers) of this process, so that the actors need not depend on each other. A signal
 * may be lost or unnecessary, so an actor that waits for a signal also limits its wait. A
 * receiver of signals must return at once. Safe for use by several threads.
 */
public final class Signals {

	/**
	 * The longest time for which an actor relies on the checks of other actors instead of
	 * its own.
	 */
	public static final Duration LONGEST_QUIET = Duration.ofMinutes(1);

	private static final PartitionSignals NO_CONSUMER = new PartitionSignals() {
	};

	private final List<QueueListener> listeners = new CopyOnWriteArrayList<>();

	private final Map<String, Consuming> consumers = new ConcurrentHashMap<>();

	/** Receives a notification when this process begins or stops to consume a queue. */
	public interface QueueListener {

		/**
		 * Called when a consumer of a queue begins to run, and when the partitions of the
		 * queue have changed.
		 * @param epochs the epochs (successive partition counts) of the queue, with its
		 * partitions
		 */
		void consuming(Epochs epochs);

		/**
		 * Called when the consumer of a queue does not run any more.
		 * @param queue the queue
		 */
		void notConsuming(String queue);

	}

	/**
	 * Receives signals to the consumer of a queue. The consumer ignores signals that it
	 * does not need.
	 */
	public interface PartitionSignals {

		/**
		 * Makes the consumer sweep a partition when the message that is now first in the
		 * partition becomes due.
		 * @param partition the partition
		 * @param inNanos the time until this message is due, ns
		 */
		default void due(Partition partition, long inNanos) {
		}

		/**
		 * Makes the consumer read a partition that has ready messages.
		 * @param partition the partition
		 */
		default void ready(Partition partition) {
		}

		/**
		 * Makes the consumer check whether a partition was paused, held or resumed.
		 * @param partition the partition
		 */
		default void switched(Partition partition) {
		}

		/**
		 * Makes the consumer begin no handler of a message that was cancelled, purged or
		 * replaced. If the message was not replaced, the consumer also stops an
		 * interruptible handler that runs.
		 * @param partition the partition
		 * @param entry the stream entry of the message
		 * @param replaced whether the message was replaced
		 * @return whether this consumer holds the message
		 */
		default boolean removed(Partition partition, String entry, boolean replaced) {
			return false;
		}

		/**
		 * Allows the consumer to skip a check of a partition in which another actor found
		 * no ready or pending message.
		 * @param partition the partition
		 * @param asOfNanos the time of the other actor's check, by
		 * {@link System#nanoTime()}; the state may have changed since
		 */
		default void empty(Partition partition, long asOfNanos) {
		}

	}

	/**
	 * Registers a listener that is notified when this process begins or stops to consume
	 * a queue.
	 * @param listener the listener
	 */
	public void register(QueueListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Registers the running consumer of a queue, and notifies the listeners.
	 * @param epochs the epochs (successive partition counts) of the queue, with its
	 * partitions
	 * @param consumer the receiver of signals
	 * @throws IllegalStateException if another consumer of the queue runs
	 */
	public void consuming(Epochs epochs, PartitionSignals consumer) {
		String queue = epochs.queue();
		if (this.consumers.putIfAbsent(queue, new Consuming(epochs, consumer, System.nanoTime())) != null) {
			throw new IllegalStateException("Queue '" + queue + "' has a running consumer in this process already");
		}
		try {
			notifyListeners(queue);
		}
		catch (RuntimeException failure) {
			notConsuming(queue, consumer);
			throw failure;
		}
	}

	/**
	 * Removes the consumer of a queue, if it still runs, and notifies the listeners.
	 * @param queue the queue
	 * @param consumer the consumer that stops
	 */
	public void notConsuming(String queue, PartitionSignals consumer) {
		this.consumers.computeIfPresent(queue, (same, running) -> (running.consumer() == consumer) ? null : running);
		notifyListeners(queue);
	}

	/**
	 * Notifies the listeners that the partitions of a queue have changed. Does nothing if
	 * the consumer does not run any more.
	 * @param epochs the epochs (successive partition counts) of the queue, with its
	 * partitions
	 * @param consumer the consumer that has adapted to the change
	 */
	public void changed(Epochs epochs, PartitionSignals consumer) {
		Consuming changed = this.consumers.computeIfPresent(epochs.queue(),
				(queue, running) -> (running.consumer() == consumer)
						? new Consuming(epochs, consumer, running.sinceNanos()) : running);
		if (changed != null && changed.consumer() == consumer) {
			notifyListeners(epochs.queue());
		}
	}

	/**
	 * Notifies the listeners whether this process consumes a queue. Repeats this if
	 * another thread has changed it meanwhile, so that the last notification of each
	 * listener is never an outdated one.
	 */
	private void notifyListeners(String queue) {
		Consuming seen;
		do {
			seen = this.consumers.get(queue);
			for (QueueListener listener : this.listeners) {
				if (!Objects.equals(this.consumers.get(queue), seen)) {
					break;
				}
				if (seen != null) {
					listener.consuming(seen.epochs());
				}
				else {
					listener.notConsuming(queue);
				}
			}
		}
		while (!Objects.equals(this.consumers.get(queue), seen));
	}

	/**
	 * Signals to the consumer of a partition that another message may be the first to
	 * become due.
	 * @param partition the partition
	 * @param inNanos the time until this message is due, ns
	 */
	public void due(Partition partition, long inNanos) {
		consumer(partition.queue()).due(partition, inNanos);
	}

	/**
	 * Whether this process consumes a partition at this moment.
	 * @param partition the partition
	 * @return {@code true} if a consumer of the queue runs in this process and has the
	 * partition
	 */
	public boolean consumes(Partition partition) {
		Consuming consuming = this.consumers.get(partition.queue());
		return consuming != null && consuming.epochs().contains(partition);
	}

	/**
	 * Returns the receiver of signals to the consumer of a queue.
	 * @param queue the queue
	 * @return the receiver, which ignores signals if no consumer of the queue runs
	 */
	public PartitionSignals consumer(String queue) {
		Consuming consuming = this.consumers.get(queue);
		return (consuming != null) ? consuming.consumer() : NO_CONSUMER;
	}

	/**
	 * {@return a past time of {@link System#nanoTime()}; no actor relies on a check that
	 * was made at this time or earlier}
	 */
	public static long longAgo() {
		return System.nanoTime() - LONGEST_QUIET.toNanos();
	}

	/**
	 * Returns the queues that this process consumes at this moment.
	 * @return the time for which this process has consumed each queue, by queue
	 */
	public Map<String, Duration> consumed() {
		long now = System.nanoTime();
		Map<String, Duration> consumed = new HashMap<>();
		this.consumers
			.forEach((queue, consuming) -> consumed.put(queue, Duration.ofNanos(now - consuming.sinceNanos())));
		return consumed;
	}

	private record Consuming(Epochs epochs, PartitionSignals consumer, long sinceNanos) {
	}

}
