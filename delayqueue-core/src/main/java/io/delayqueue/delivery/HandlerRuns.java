package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

import io.delayqueue.delivery.DeliveryTask.Stage;
import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * The calls of handlers that are under way in one consumer. Safe for use by several
 * threads.
 *
 * <p>
 * A call that lasts for longer than the maximum processing time is abandoned:
 * <ol>
 * <li>the attempt of each of its messages fails, so that its permit is free and the
 * message is retried or dead-lettered;</li>
 * <li>the worker that called the handler is replaced, and ends when the handler
 * returns;</li>
 * <li>what the handler returns then does not count.</li>
 * </ol>
 * While more messages are abandoned than the consumer has permits, or hold more threads
 * than handlers run at once, no messages are read, so that threads do not pile up.
 */
final class HandlerRuns {

	/** Returned by {@link #abandonOverdue} while no handler runs. */
	static final long NOTHING_RUNS = TimeUnit.HOURS.toNanos(1);

	// immutable

	private final int limit;

	private final int handlers;

	private final Duration maxProcessingTime;

	private final QueueObserver observer;

	private final BiConsumer<List<DeliveryTask>, Throwable> onUndecided;

	private final Runnable onFirst;

	private final Runnable onFewer;

	// shared and safe

	private final Set<HandlerRun> running = ConcurrentHashMap.newKeySet();

	private final Set<HandlerRun> abandoned = ConcurrentHashMap.newKeySet();

	private final AtomicInteger inFlight = new AtomicInteger();

	private final AtomicInteger abandonedMessages = new AtomicInteger();

	/**
	 * Creates the registry of calls.
	 * @param settings the queue's settings, with the consumer's concurrency
	 * @param handlers the number of calls that run at once: fewer than the concurrency if
	 * each has a batch
	 * @param observer is notified of abandoned calls
	 * @param onUndecided takes the messages of a call whose outcome could not be decided,
	 * with the reason
	 * @param onFirst called when a call begins while no other call is under way:
	 * {@link #abandonOverdue} must be called within the maximum processing time
	 * @param onFewer called when there are no longer too many abandoned handlers
	 */
	HandlerRuns(QueueSettings settings, int handlers, QueueObserver observer,
			BiConsumer<List<DeliveryTask>, Throwable> onUndecided, Runnable onFirst, Runnable onFewer) {
		this.limit = settings.concurrency();
		this.handlers = handlers;
		this.maxProcessingTime = settings.retry().maxProcessingTime();
		this.observer = observer;
		this.onUndecided = onUndecided;
		this.onFirst = onFirst;
		this.onFewer = onFewer;
	}

	/**
	 * Registers a call of a handler on this thread.
	 * @param tasks the deliveries that the handler gets
	 * @param outcome takes, once, what the handler threw or why the call was abandoned,
	 * {@code null} if the handler returned
	 * @return the call
	 */
	HandlerRun begin(List<DeliveryTask> tasks, Consumer<@Nullable Throwable> outcome) {
		HandlerRun run = new HandlerRun(this, tasks, outcome);
		tasks.forEach((task) -> task.enter(Stage.HANDLING));
		this.running.add(run);
		if (this.inFlight.getAndAdd(tasks.size()) == 0) {
			this.onFirst.run();
		}
		return run;
	}

	/**
	 * Calls the handler on this thread, within the scope of its span.
	 * @param tasks the deliveries that the handler gets
	 * @param span the span of the call, whose scope is closed before a stage can end it
	 * on another thread
	 * @param handler the call
	 * @param outcome takes, once, what the handler threw or why the call was abandoned,
	 * {@code null} if the handler returned: perhaps later, and on another thread
	 */
	void call(List<DeliveryTask> tasks, MessageSpan span, HandlerCall handler, Consumer<@Nullable Throwable> outcome) {
		HandlerRun run = begin(tasks, outcome);
		Throwable thrown = null;
		try {
			CompletionStage<?> stage = within(span, handler);
			if (stage != null) {
				run.leaveThread();
				stage.whenComplete((ignored, failure) -> LogContext.during(tasks,
						() -> run.ended(MessageHandler.causeOf(failure))));
				return;
			}
		}
		catch (Throwable failure) {
			thrown = failure;
		}
		finally {
			// The next message must not see an interrupt of this handler
			Thread.interrupted();
		}
		run.ended(thrown);
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

	/** A call of a handler. */
	@FunctionalInterface
	interface HandlerCall {

		@Nullable CompletionStage<?> call() throws Throwable;

	}

	/** The number of messages that handlers have, without abandoned calls. */
	int inFlight() {
		return this.inFlight.get();
	}

	/** Whether a call that began before that time is under way and not abandoned. */
	boolean areAnyFromBefore(long nanos) {
		return this.running.stream().anyMatch((run) -> run.sinceNanos() - nanos < 0);
	}

	/** Whether an abandoned handler has not ended. */
	boolean areAnyAbandoned() {
		return !this.abandoned.isEmpty();
	}

	/** The calls whose handlers have been abandoned and have not ended. */
	AbandonedRuns abandoned() {
		return new AbandonedRuns(this.abandoned.stream().map(HandlerRun::describe).toList(), areTooManyAbandoned());
	}

	/**
	 * Whether reading must wait until abandoned handlers have ended.
	 */
	boolean areTooManyAbandoned() {
		return areAnyAbandoned() && (this.abandonedMessages.get() > this.limit
				|| this.abandoned.stream().filter((run) -> run.thread() != null).count() > this.handlers);
	}

	void ended(HandlerRun run, @Nullable Throwable failure) {
		boolean wereTooMany = areTooManyAbandoned();
		run.leaveThread();
		if (run.close()) {
			decide(run, failure);
			return;
		}
		forgetAbandoned(run);
		if (wereTooMany && !areTooManyAbandoned()) {
			this.onFewer.run();
		}
	}

	/**
	 * Abandons each call that exceeds the maximum processing time.
	 * @param letGo takes the thread of an abandoned call, and returns the action that
	 * replaces its worker
	 * @return the time until the next call may exceed it, ns
	 */
	long abandonOverdue(Function<Thread, @Nullable Runnable> letGo) {
		long next = NOTHING_RUNS;
		for (HandlerRun run : this.running) {
			long left = this.maxProcessingTime.toNanos() - (System.nanoTime() - run.sinceNanos());
			if (left > 0) {
				next = Math.min(next, left);
			}
			else {
				abandon(run, letGo);
			}
		}
		return next;
	}

	private void abandon(HandlerRun run, Function<Thread, @Nullable Runnable> letGo) {
		// Before the call is closed: its handler may return at any moment
		this.abandoned.add(run);
		this.abandonedMessages.addAndGet(run.tasks().size());
		if (!run.close()) {
			forgetAbandoned(run);
			return;
		}
		Thread thread = run.thread();
		// First: the thread must not take the work of its replacement
		Runnable replacement = run.letGo(letGo);
		run.tasks().forEach((task) -> task.enter(Stage.ABANDONED));
		this.observer.abandoned(run.tasks().get(0).queue(), run.tasks().size());
		LogContext.during(run.tasks(), () -> decide(run, new HandlerTimeoutException(this.maxProcessingTime, thread)));
		if (replacement != null) {
			replacement.run();
		}
	}

	private void decide(HandlerRun run, @Nullable Throwable failure) {
		// In this order: as long as a call counts, abandonOverdue finds it
		this.inFlight.addAndGet(-run.tasks().size());
		this.running.remove(run);
		try {
			run.decide(failure);
		}
		catch (Throwable broken) {
			this.onUndecided.accept(run.tasks(), broken);
		}
	}

	private void forgetAbandoned(HandlerRun run) {
		if (this.abandoned.remove(run)) {
			this.abandonedMessages.addAndGet(-run.tasks().size());
		}
	}

}
