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
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handlers of one consumer, and keeps the calls that are under way. Safe for
 * use by several threads.
 *
 * <p>
 * If a handler call lasts for longer than the timeout, this class stops and abandons the
 * call:
 * <ol>
 * <li>the worker that called the abandoned handler gets no further messages, and ends
 * when the handler returns;</li>
 * <li>the handler's thread is interrupted, and a stage that the handler has returned is
 * cancelled;</li>
 * <li>the attempt of each message of the abandoned call fails, so that the permit of the
 * message is free and the message is retried or dead-lettered; a later result of the
 * handler does not count;</li>
 * <li>a new worker takes the place of the worker whose handler is abandoned.</li>
 * </ol>
 * All abandoned calls together contain at most as many messages as the consumer has
 * permits, and occupy at most as many threads as handlers may run at once. If a call that
 * has timed out would exceed these limits, this class stops the call, but does not
 * abandon it yet: the call keeps its permits and its thread until it ends, or until it
 * can be abandoned because another abandoned call has ended. In either case its attempts
 * fail. While a call that has timed out cannot be abandoned, the consumer reads no
 * messages.
 */
final class HandlerRuns {

	private static final Log logger = LogFactory.getLog(HandlerRuns.class);

	/** The time that {@link #abandonOverdue} returns while no handler runs. */
	static final long NOTHING_RUNS = TimeUnit.HOURS.toNanos(1);

	// immutable

	private final ConsumerState state;

	/**
	 * The most handler calls that run at once. With batches this number is lower than the
	 * concurrency, which is a number of messages.
	 */
	private final int handlers;

	private final Duration timeout;

	private final QueueObserver observer;

	/**
	 * Settles the messages of a handler call whose outcome could not be decided because
	 * of an exception.
	 */
	private final BiConsumer<List<DeliveryTask>, Throwable> onUndecided;

	// shared and safe

	private final Set<HandlerRun> running = ConcurrentHashMap.newKeySet();

	private final Set<HandlerRun> abandoned = ConcurrentHashMap.newKeySet();

	/** The running handler calls that have timed out but cannot be abandoned yet. */
	private final Set<HandlerRun> overdue = ConcurrentHashMap.newKeySet();

	private final AtomicInteger inFlight = new AtomicInteger();

	private volatile LongConsumer watch = (nanos) -> {
	};

	/** Runs code of the application that must not delay other handler calls. */
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
	 * Sets the timer that calls {@link #abandonOverdue}, and the executor for code that
	 * must not delay this timer.
	 * @param wakeUp sets the timer to a time from now, ns
	 * @param aside runs code of the application that must not delay the timer
	 */
	void connect(LongConsumer wakeUp, Executor aside) {
		this.watch = wakeUp;
		this.aside = aside;
	}

	/** The call of a handler. */
	@FunctionalInterface
	interface HandlerCall {

		/**
		 * Calls the handler.
		 * @return the stage with which the handler ends, {@code null} if it has ended
		 */
		@Nullable CompletionStage<?> call() throws Throwable;

	}

	/**
	 * Calls a handler on the calling thread, within the scope of its tracing span. The
	 * scope closes when the handler returns. If the handler has returned a stage, the
	 * span ends later, when the stage completes, possibly on another thread.
	 * @param interruptible whether the handler is stopped when all messages of the call
	 * are cancelled
	 * @param outcome called once with the exception of the handler, with the timeout if
	 * the handler was abandoned, or with {@code null} if the handler succeeded; perhaps
	 * later, and on another thread
	 */
	void run(List<DeliveryTask> tasks, MessageSpan span, HandlerCall handler, boolean interruptible,
			Consumer<@Nullable Throwable> outcome) {
		HandlerRun run = begin(tasks, outcome, interruptible);
		stopIfCancelled(run);
		Throwable thrown = null;
		try {
			CompletionStage<?> stage = within(span, handler);
			if (stage != null) {
				boolean isStopped = run.leaveThreadFor(stage);
				stage.whenComplete((ignored, failure) -> LogContext.during(tasks,
						() -> ended(run, MessageHandler.causeOf(failure))));
				if (isStopped) {
					HandlerRun.cancel(stage);
				}
				return;
			}
		}
		catch (Throwable failure) {
			thrown = failure;
		}
		ended(run, thrown);
	}

	/**
	 * Calls a handler as {@link #run} does, but on a separate thread, because the handler
	 * may never return. Before the call, this method frees the permits of all messages
	 * except suspects (messages whose earlier consumer may have crashed).
	 */
	void runAside(List<DeliveryTask> tasks, MessageSpan span, HandlerCall handler,
			Consumer<@Nullable Throwable> outcome) {
		tasks.stream()
			.filter((task) -> !task.isSuspect() && !task.hasReturnedPermit())
			.forEach(this.state::returnPermit);
		this.aside.execute(() -> LogContext.during(tasks, () -> run(tasks, span, handler, false, outcome)));
	}

	private static @Nullable CompletionStage<?> within(MessageSpan span, HandlerCall handler) throws Throwable {
		MessageSpan.Scope scope = span.open();
		try {
			return handler.call();
		}
		finally {
			scope.close();
		}
	}

	/** Registers a handler call that begins on the calling thread. */
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
	 * Records that the message of a delivery was cancelled or purged, and stops the call
	 * of its handler if the handler is interruptible.
	 */
	void cancelled(DeliveryTask task) {
		// Mark the delivery before the search: a handler call that begins in between
		// either reads the mark or is found among the running calls
		if (task.cancel()) {
			this.running.stream().filter((run) -> run.tasks().contains(task)).forEach(this::stopIfCancelled);
		}
	}

	/**
	 * Stops a call of an interruptible handler if all messages of the call are cancelled.
	 */
	private void stopIfCancelled(HandlerRun run) {
		if (run.isInterruptible() && run.tasks().stream().allMatch(DeliveryTask::isCancelled)) {
			stop(run);
		}
	}

	/**
	 * Returns the number of messages that handlers are working on, without the messages
	 * of abandoned handlers.
	 */
	int inFlight() {
		return this.inFlight.get();
	}

	boolean areAnyAbandoned() {
		return !this.abandoned.isEmpty();
	}

	/** Returns the abandoned handler calls whose handlers have not ended. */
	AbandonedRuns abandoned() {
		return new AbandonedRuns(this.abandoned.stream().map(HandlerRun::describe).toList(), areTooManyAbandoned());
	}

	/** Whether too many timed-out handlers still run, so that reading must stop. */
	boolean areTooManyAbandoned() {
		return !this.overdue.isEmpty();
	}

	/**
	 * Stops each handler call that exceeds the timeout, and abandons as many of these
	 * calls as the limits of this class allow. Only one thread at a time may call this
	 * method.
	 * @param letGo removes the worker that runs in the thread of an abandoned call, and
	 * returns the action that starts another worker
	 * @return the time until the next running handler call may exceed the timeout, ns
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
		// Add the call to the abandoned calls before it is closed, because its handler
		// may return at any moment
		this.abandoned.add(run);
		boolean first = run.timeOut(this.timeout);
		if (!run.close()) {
			this.abandoned.remove(run);
			return;
		}
		run.tasks().forEach((task) -> task.enter(Stage.ABANDONED));
		// Remove the worker before its replacement starts, because the old worker must
		// not take messages meant for its replacement
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

	/**
	 * Stops a handler call that has timed out but cannot be abandoned yet. The consumer
	 * reads no messages until the call can be abandoned or has ended.
	 */
	private void keep(HandlerRun run) {
		boolean first = run.timeOut(this.timeout);
		// Add the call to the overdue calls before the check, because its handler may end
		// at any moment
		this.overdue.add(run);
		if (!this.running.contains(run)) {
			this.overdue.remove(run);
			this.state.readable();
			return;
		}
		if (first) {
			run.tasks().forEach((task) -> task.enter(Stage.ABANDONED));
			stop(run);
			logger.error("Queue '" + this.state.queue() + "' is not read until a handler ends, because no further"
					+ " handler that has timed out can be abandoned. The last handler works on " + run.describe());
		}
	}

	private void stop(HandlerRun run) {
		CompletionStage<?> open = run.stop();
		if (open != null) {
			// On another thread, because the code of the application may never return
			this.aside.execute(() -> LogContext.during(run.tasks(), () -> HandlerRun.cancel(open)));
		}
	}

	/** Records that the handler of a call has returned or thrown an exception. */
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
			// An overdue call can now be abandoned in place of this call, which has ended
			this.watch.accept(0);
		}
	}

	private void decide(HandlerRun run, @Nullable Throwable failure) {
		// Reduce the count of messages before the call is removed, because abandonOverdue
		// must find each call that is counted
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
