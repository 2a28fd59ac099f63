package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.delayqueue.delivery.HandlerThreads.Threads;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a consumer: one pool for each group that has workers of its own, and one
 * that all other messages share. Safe for use by several threads.
 */
final class HandlerPools {

	private final Pool shared;

	/** By group. */
	private final Map<String, Pool> dedicated = new HashMap<>();

	private final List<Pool> all = new ArrayList<>();

	/**
	 * Creates the pools.
	 * @param state the state of the consumer
	 * @param pool makes the pool of a group, {@code null} for the shared one, with its
	 * concurrency
	 */
	HandlerPools(ConsumerState state, BiFunction<@Nullable String, Integer, Pool> pool) {
		this.shared = pool.apply(null, state.settings().concurrency());
		this.all.add(this.shared);
		state.dedicated().forEach((group, concurrency) -> {
			Pool own = pool.apply(group, concurrency);
			this.dedicated.put(group, own);
			this.all.add(own);
		});
	}

	/**
	 * Workers, and the deliveries that wait for them.
	 *
	 * @param batcher collects deliveries to batches, {@code null} if each is handed over
	 * by itself
	 * @param workers call the handler
	 * @param threads run the workers
	 */
	record Pool(@Nullable Batcher batcher, Workers workers, Threads threads) {

		/** Takes deliveries in, and returns those that can begin now, by handler call. */
		List<List<DeliveryTask>> add(List<DeliveryTask> tasks) {
			return (this.batcher != null) ? this.batcher.add(tasks) : tasks.stream().map(List::of).toList();
		}

		private Stream<DeliveryTask> takeUnstarted() {
			// In this order: the batcher passes deliveries on to the workers
			List<DeliveryTask> waiting = (this.batcher != null) ? this.batcher.takeWaiting() : List.of();
			return Stream.concat(waiting.stream(), this.workers.takeUnstarted().stream());
		}

	}

	/** The pool of the messages whose group has no workers of its own. */
	Pool shared() {
		return this.shared;
	}

	/** The pool of the message's group, or the shared one. */
	Pool of(DeliveryTask task) {
		String group = task.group();
		return (group != null) ? this.dedicated.getOrDefault(group, this.shared) : this.shared;
	}

	/** Whether the message's group has workers of its own. */
	boolean hasOwn(DeliveryTask task) {
		return !of(task).equals(this.shared);
	}

	/** Splits messages by pool; the shared one is always there. */
	Map<Pool, List<DeliveryTask>> split(List<DeliveryTask> tasks) {
		if (this.dedicated.isEmpty()) {
			return Map.of(this.shared, tasks);
		}
		Map<Pool, List<DeliveryTask>> split = new HashMap<>(Map.of(this.shared, new ArrayList<>()));
		tasks.forEach((task) -> split.computeIfAbsent(of(task), (absent) -> new ArrayList<>()).add(task));
		return split;
	}

	/** Whether no worker of any pool is active. */
	boolean areIdle() {
		return this.all.stream().allMatch((pool) -> pool.workers().areIdle());
	}

	/**
	 * Gives up a thread whose handler is abandoned.
	 * @return the workers that had the thread, {@code null} if none had
	 */
	@Nullable Workers letGo(Thread thread) {
		return this.all.stream().map(Pool::workers).filter((workers) -> workers.letGo(thread)).findFirst().orElse(null);
	}

	/** Takes away the deliveries that no worker has begun. */
	List<DeliveryTask> takeUnstarted() {
		return this.all.stream().flatMap(Pool::takeUnstarted).toList();
	}

	/** Takes away the deliveries that no worker has begun for that time. */
	List<DeliveryTask> takeStuck(long nanos) {
		return this.all.stream().flatMap((pool) -> pool.workers().takeStuck(nanos).stream()).toList();
	}

	/** Ends the timers of batches. */
	void stop() {
		this.all.stream().map(Pool::batcher).forEach((batcher) -> {
			if (batcher != null) {
				batcher.stop();
			}
		});
	}

	/** Ends the threads. */
	void close() {
		this.all.forEach((pool) -> pool.threads().close());
	}

}
