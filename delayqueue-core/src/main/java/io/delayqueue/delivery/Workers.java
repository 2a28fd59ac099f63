package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Workers that call handlers. Each worker occupies a thread of the executor. This class
 * starts workers when deliveries arrive, up to a maximum. All workers share one queue of
 * handler calls. Safe for use by several threads.
 */
final class Workers {

	private static final Log logger = LogFactory.getLog(Workers.class);

	/** The number of workers that start at once for the handler calls of one read. */
	private static final int FIRST = Runtime.getRuntime().availableProcessors();

	/** The time after which further workers start unless the first ones are fast. */
	private static final long FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

	/** The time in which fast workers take all handler calls of the queue. */
	private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final int most;

	private final Executor executor;

	private final BiConsumer<List<DeliveryTask>, Workers> handler;

	private final Runnable onIdle;

	private final Queue<List<DeliveryTask>> unstarted = new ConcurrentLinkedQueue<>();

	private final AtomicInteger active = new AtomicInteger();

	/**
	 * When a worker last took a handler call from the queue, or found the queue empty.
	 */
	private volatile long takenNanos = System.nanoTime();

	private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

	Workers(int most, Executor executor, BiConsumer<List<DeliveryTask>, Workers> handler, Runnable onIdle) {
		this.most = most;
		this.executor = executor;
		this.handler = handler;
		this.onIdle = onIdle;
	}

	/**
	 * Adds handler calls to the queue, and starts workers for them. To wake up a thread
	 * takes longer than a short handler, so this method starts few workers first, and one
	 * for each further handler call only if the first workers are not fast.
	 * @return {@code false} if the executor has rejected every worker, so that the
	 * handler calls stay in the queue
	 */
	boolean add(List<List<DeliveryTask>> all) {
		if (this.unstarted.isEmpty()) {
			this.takenNanos = System.nanoTime();
		}
		this.unstarted.addAll(all);
		boolean taken = all.isEmpty();
		for (int i = 0; i < all.size(); i++) {
			if ((i == FIRST && areTakenFast()) || !takeSlot()) {
				// Each active worker checks the queue once more before it ends
				return true;
			}
			if (!startWorker()) {
				break;
			}
			taken = true;
		}
		return taken || this.active.get() > 0;
	}

	/** Removes and returns all deliveries that no worker has begun. */
	List<DeliveryTask> takeUnstarted() {
		List<DeliveryTask> taken = new ArrayList<>();
		for (List<DeliveryTask> call = this.unstarted.poll(); call != null; call = this.unstarted.poll()) {
			taken.addAll(call);
		}
		return taken;
	}

	/**
	 * Removes the handler calls that no worker has begun and that contain a matching
	 * delivery, and returns all deliveries of these handler calls.
	 */
	List<DeliveryTask> takeUnstarted(Predicate<DeliveryTask> which) {
		return this.unstarted.stream()
			.filter((call) -> call.stream().anyMatch(which))
			.toList()
			.stream()
			.filter(this.unstarted::remove)
			.flatMap(List::stream)
			.toList();
	}

	/**
	 * Removes and returns the deliveries that no worker has begun, if no worker has taken
	 * a delivery for the given time: in that case the executor has accepted workers for
	 * which it has no threads.
	 */
	List<DeliveryTask> takeStuck(long nanos) {
		return (System.nanoTime() - this.takenNanos >= nanos) ? takeUnstarted() : List.of();
	}

	boolean areIdle() {
		return this.active.get() == 0;
	}

	/**
	 * Adds handler calls to the end of the queue without starting a worker: the worker
	 * that adds them, or its replacement, takes them later.
	 */
	void addBehind(List<List<DeliveryTask>> more) {
		this.unstarted.addAll(more);
	}

	/**
	 * Removes the worker that runs on the given thread, because its handler is abandoned.
	 * The removed worker takes no further message, and ends when its handler returns, so
	 * another worker must replace it.
	 * @return whether a worker ran on that thread
	 */
	boolean letGo(Thread thread) {
		return this.threads.remove(thread);
	}

	/**
	 * Starts a worker in place of the worker that {@link #letGo} has removed.
	 * @return {@code false} if handler calls are in the queue and the executor has
	 * rejected every worker
	 */
	boolean replaceOne() {
		workerEnded();
		return this.unstarted.isEmpty() || !takeSlot() || startWorker() || this.active.get() > 0;
	}

	/**
	 * Waits until the queue is empty, as long as workers take handler calls at a pace at
	 * which the queue is empty soon.
	 * @return whether the queue is empty
	 */
	@SuppressWarnings("ThreadPriorityCheck") // only the speed depends on the scheduler
	private boolean areTakenFast() {
		long began = System.nanoTime();
		int all = this.unstarted.size();
		for (int left = all; left > 0; left = this.unstarted.size()) {
			long elapsed = System.nanoTime() - began;
			if (elapsed > FIRST_NANOS && (all - left) * FAST_NANOS < all * elapsed) {
				return false;
			}
			Thread.yield();
		}
		return true;
	}

	private boolean startWorker() {
		try {
			this.executor.execute(this::drain);
			return true;
		}
		catch (RuntimeException | Error full) {
			this.active.decrementAndGet();
			logger.debug("The executor refuses another worker; running: " + this.active, full);
			return false;
		}
	}

	private void work(List<DeliveryTask> call) {
		try {
			this.handler.accept(call, this);
		}
		catch (Throwable broken) {
			call.forEach(
					(task) -> logger.error(
							"Message '" + task.id() + "' of queue '" + task.queue()
									+ "' could not be settled; it is delivered again after the visibility timeout",
							broken));
		}
	}

	private boolean takeSlot() {
		return this.active.getAndUpdate((now) -> Math.min(now + 1, this.most)) < this.most;
	}

	/**
	 * Runs one worker until the queue of handler calls is empty. The worker checks the
	 * queue again after it has given up its slot, because a handler call may have been
	 * added in between.
	 */
	private void drain() {
		Thread thread = Thread.currentThread();
		do {
			this.threads.add(thread);
			for (List<DeliveryTask> call = take(); call != null; call = take()) {
				work(call);
				if (!this.threads.contains(thread)) {
					return;
				}
			}
			if (!this.threads.remove(thread)) {
				return;
			}
			workerEnded();
		}
		while (!this.unstarted.isEmpty() && takeSlot());
	}

	private @Nullable List<DeliveryTask> take() {
		this.takenNanos = System.nanoTime();
		return this.unstarted.poll();
	}

	private void workerEnded() {
		if (this.active.decrementAndGet() == 0) {
			this.onIdle.run();
		}
	}

}
