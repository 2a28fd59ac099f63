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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
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

	/** Up to this number of handler calls, each one gets a worker at once. */
	private static final int FEW = 20;

	/** The number of workers that start first for more than a few handler calls. */
	private static final int FIRST = Math.min(FEW, Runtime.getRuntime().availableProcessors());

	/** The time after which further workers start unless the first ones are fast. */
	private static final long FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

	/** Workers are fast if they would take all added handler calls in this time. */
	private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final int most;

	private final Executor executor;

	private final BiConsumer<List<DeliveryTask>, Workers> handler;

	private final Runnable onIdle;

	private final LongSupplier nanoTime;

	private final Queue<List<DeliveryTask>> unstarted = new ConcurrentLinkedQueue<>();

	private final AtomicInteger active = new AtomicInteger();

	/** The number of times that a worker has taken a call, or found the queue empty. */
	private final AtomicLong takes = new AtomicLong();

	/**
	 * When a worker last took a handler call from the queue, or found the queue empty.
	 */
	private volatile long takenNanos = System.nanoTime();

	private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

	Workers(int most, Executor executor, BiConsumer<List<DeliveryTask>, Workers> handler, Runnable onIdle) {
		this(most, executor, handler, onIdle, System::nanoTime);
	}

	/** Creates workers whose speed is measured by the given clock. */
	Workers(int most, Executor executor, BiConsumer<List<DeliveryTask>, Workers> handler, Runnable onIdle,
			LongSupplier nanoTime) {
		this.most = most;
		this.executor = executor;
		this.handler = handler;
		this.onIdle = onIdle;
		this.nanoTime = nanoTime;
	}

	/**
	 * Adds handler calls to the queue, and starts workers for them. Many handler calls
	 * first get few workers, because to wake up a thread takes longer than a short
	 * handler. If these workers are slow, each further handler call gets a worker. This
	 * method waits for about 1 ms at most.
	 * @return {@code false} if the executor has rejected every worker, so that the
	 * handler calls stay in the queue
	 */
	boolean add(List<List<DeliveryTask>> all) {
		if (this.unstarted.isEmpty()) {
			this.takenNanos = System.nanoTime();
		}
		boolean many = Math.min(all.size(), this.most - this.active.get()) > FEW;
		this.unstarted.addAll(all);
		for (int i = 0; i < all.size() && !this.unstarted.isEmpty(); i++) {
			if ((many && i == FIRST && areTakenFast(all.size())) || !takeSlot()) {
				// Each active worker checks the queue once more before it ends
				return true;
			}
			if (!startWorker()) {
				return this.unstarted.isEmpty() || this.active.get() > 0;
			}
		}
		return true;
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
	 * Waits until the queue is empty, as long as the workers are fast. If other threads
	 * add handler calls meanwhile, the queue must still be empty in the same time.
	 * @param calls the number of handler calls that the caller has added
	 * @return {@code false} if the workers are slow
	 */
	@SuppressWarnings("ThreadPriorityCheck") // only the speed depends on the scheduler
	private boolean areTakenFast(int calls) {
		long began = this.nanoTime.getAsLong();
		long before = this.takes.get();
		while (!this.unstarted.isEmpty()) {
			long elapsed = this.nanoTime.getAsLong() - began;
			long taken = Math.min(calls, this.takes.get() - before);
			if (elapsed > FIRST_NANOS && taken * FAST_NANOS < calls * elapsed) {
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
							"Message " + task.storedId() + " of queue '" + task.queue()
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
		this.takes.incrementAndGet();
		return this.unstarted.poll();
	}

	private void workerEnded() {
		if (this.active.decrementAndGet() == 0) {
			this.onIdle.run();
		}
	}

}
