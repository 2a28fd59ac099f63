package io.delayqueue.delivery;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;

import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.observe.QueueObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The calls of handlers that are under way in one consumer. Safe for use by several
 * threads.
 *
 * <p>
 * A call that lasts for longer than the timeout is stopped and abandoned:
 * <ol>
 * <li>the worker that called the handler gets no further messages, and ends when the
 * handler returns;</li>
 * <li>the handler's thread is interrupted, and a stage that the handler has returned is
 * cancelled;</li>
 * <li>the attempt of each message of the call fails, so that its permit is free and the
 * message is retried or dead-lettered; a later result of the handler does not count;</li>
 * <li>a new worker takes the place of the old one.</li>
 * </ol>
 * At most as many messages are abandoned as the consumer has permits, and their calls
 * hold at most as many threads as handlers run at once. A further call that times out is
 * stopped too, but keeps its permit and its thread until an abandoned call has ended, or
 * until the further call itself ends; then its attempt fails. In the meantime the
 * consumer reads no messages.
 */
final class HandlerRuns {

	private static final Log logger = LogFactory.getLog(HandlerRuns.class);

	/** Returned by {@link #abandonOverdue} while no handler runs. */
	static final long NOTHING_RUNS = TimeUnit.HOURS.toNanos(1);

	// immutable

	private final ConsumerState state;

	/**
	 * The most calls that run at once: fewer than the concurrency, which counts messages,
	 * if each call has a batch.
	 */
	private final int handlers;

	private final Duration timeout;

	private final QueueObserver observer;

	/** Takes the messages of a call if the decision on its outcome has failed. */
	private final BiConsumer<List<DeliveryTask>, Throwable> onUndecided;

	// shared and safe

	private final Set<HandlerRun> running = ConcurrentHashMap.newKeySet();

	private final Set<HandlerRun> abandoned = ConcurrentHashMap.newKeySet();

	/** The running calls that have timed out but cannot be abandoned yet. */
	private final Set<HandlerRun> overdue = ConcurrentHashMap.newKeySet();

	private final AtomicInteger inFlight = new AtomicInteger();

	private volatile LongConsumer watch = (nanos) -> {
	};

	/** The executor of application code that must not delay other calls. */
	private volatile Executor aside = Runnable::run;

	HandlerRuns(ConsumerState state, int handlers, QueueObserver observer,
			BiConsumer<List<DeliveryTask>, Throwable> onUndecided) {
		this.state = state;
		this.handlers = handlers;
		this.timeout = state.settings().retry().timeout();
		this.observer = observer;
		this.onUndecided = onUndecided;
	}

	/**
	 * Sets the watch, the timer that calls {@link #abandonOverdue}.
	 * @param wakeUp takes the time after which the watch must call, ns
	 * @param aside runs code of the application that must not delay the watch
	 */
	void connect(LongConsumer wakeUp, Executor aside) {
		this.watch = wakeUp;
		this.aside = aside;
	}

	/** Runs code of the application on another thread, because it may never return. */
	void execute(Runnable task) {
		this.aside.execute(task);
	}

	/** Registers a call of a handler on this thread. */
	HandlerRun begin(List<DeliveryTask> tasks, Consumer<@Nullable Throwable> outcome, boolean interruptible) {
		HandlerRun run = new HandlerRun(tasks, outcome, interruptible);
		tasks.forEach((task) -> task.enter(Stage.HANDLING));
		this.running.add(run);
		if (this.inFlight.getAndAdd(tasks.size()) == 0) {
			this.watch.accept(this.timeout.toNanos());
		}
		return run;
	}

	/**
	 * Records that the message of a delivery was cancelled, replaced or purged, and stops
	 * the call of its handler if the handler is interruptible.
	 */
	void cancelled(DeliveryTask task) {
		// The mark first: a call that begins now reads the mark or is in the list
		if (task.cancel()) {
			this.running.stream().filter((run) -> run.tasks().contains(task)).forEach(this::stopIfCancelled);
		}
	}

	/** Stops a call of an interruptible handler if all its messages are cancelled. */
	void stopIfCancelled(HandlerRun run) {
		if (run.isInterruptible() && run.tasks().stream().allMatch(DeliveryTask::isCancelled)) {
			stop(run);
		}
	}

	/** Returns the number of messages that handlers have, except abandoned handlers. */
	int inFlight() {
		return this.inFlight.get();
	}

	/** Whether any call that began before this time still runs and is not abandoned. */
	boolean areAnyFromBefore(long nanos) {
		return this.running.stream().anyMatch((run) -> run.sinceNanos() - nanos < 0);
	}

	boolean areAnyAbandoned() {
		return !this.abandoned.isEmpty();
	}

	/** Returns the abandoned calls whose handlers have not ended. */
	AbandonedRuns abandoned() {
		return new AbandonedRuns(this.abandoned.stream().map(HandlerRun::describe).toList(), areTooManyAbandoned());
	}

	/** Whether the consumer must not read until handlers that have timed out end. */
	boolean areTooManyAbandoned() {
		return !this.overdue.isEmpty();
	}

	/**
	 * Stops each call that exceeds the timeout, and abandons as many of these calls as
	 * the limits of this class allow. Only one thread at a time may call this method.
	 * @param letGo removes the worker that runs in the thread of an abandoned call, and
	 * returns the action that starts another worker
	 * @return the time until the next running call may exceed the timeout, ns
	 */
	long abandonOverdue(Function<Thread, @Nullable Runnable> letGo) {
		long next = NOTHING_RUNS;
		long now = System.nanoTime();
		for (HandlerRun run : this.running.stream().sorted(Comparator.comparingLong(HandlerRun::sinceNanos)).toList()) {
			long left = this.timeout.toNanos() - (now - run.sinceNanos());
			if (left > 0) {
				next = Math.min(next, left);
			}
			else if (mayAbandon(run)) {
				abandon(run, letGo);
			}
			else {
				keep(run);
			}
		}
		return next;
	}

	private boolean mayAbandon(HandlerRun run) {
		int messages = this.abandoned.stream().mapToInt((other) -> other.tasks().size()).sum();
		long threads = this.abandoned.stream().filter(HandlerRun::holdsThread).count();
		return messages + run.tasks().size() <= this.state.settings().concurrency() && threads < this.handlers;
	}

	private void abandon(HandlerRun run, Function<Thread, @Nullable Runnable> letGo) {
		// Add the call before it is closed, because its handler may return at any moment
		this.abandoned.add(run);
		boolean first = run.timeOut(this.timeout);
		if (!run.close()) {
			this.abandoned.remove(run);
			return;
		}
		run.tasks().forEach((task) -> task.enter(Stage.ABANDONED));
		// Remove the worker first, because it must not take the work of its replacement
		Runnable replacement = run.letGo(letGo);
		if (first) {
			stop(run);
		}
		this.observer.abandoned(run.tasks().get(0).queue(), run.tasks().size());
		LogContext.during(run.tasks(), () -> decide(run, run.timeout()));
		if (replacement != null) {
			replacement.run();
		}
	}

	/** Stops a call that cannot be abandoned yet, and stops reading until it can. */
	private void keep(HandlerRun run) {
		boolean first = run.timeOut(this.timeout);
		// Add the call before the check, because its handler may end at any moment
		this.overdue.add(run);
		if (!this.running.contains(run)) {
			this.overdue.remove(run);
			this.state.readable();
			return;
		}
		if (first) {
			run.tasks().forEach((task) -> task.enter(Stage.ABANDONED));
			stop(run);
			logger.error("Queue '" + this.state.queue() + "' is not read until a handler ends: as many handlers as its"
					+ " concurrency have timed out before and have not ended. The latest has " + run.describe());
		}
	}

	private void stop(HandlerRun run) {
		CompletionStage<?> open = run.stop();
		if (open != null) {
			execute(() -> LogContext.during(run.tasks(), () -> HandlerRun.cancel(open)));
		}
	}

	/** Records that the handler of a call has thrown a failure or returned. */
	void ended(HandlerRun run, @Nullable Throwable failure) {
		run.leaveThread();
		if (run.close()) {
			Throwable timedOut = run.timeout();
			if (timedOut != null) {
				this.observer.abandoned(run.tasks().get(0).queue(), run.tasks().size());
			}
			decide(run, (timedOut != null) ? timedOut : failure);
			return;
		}
		this.abandoned.remove(run);
		if (areTooManyAbandoned()) {
			// Another overdue call can now be abandoned in place of this one
			this.watch.accept(0);
		}
	}

	private void decide(HandlerRun run, @Nullable Throwable failure) {
		// Reduce the count first, because abandonOverdue must find each call that is
		// counted
		this.inFlight.addAndGet(-run.tasks().size());
		this.running.remove(run);
		boolean wereTooMany = this.overdue.remove(run);
		try {
			run.decide(failure);
		}
		catch (Throwable broken) {
			this.onUndecided.accept(run.tasks(), broken);
		}
		if (wereTooMany && !areTooManyAbandoned()) {
			this.state.readable();
		}
	}

}
