package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.delayqueue.delivery.DeliveryTask.Stage;
import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * The calls of handlers that are under way in one consumer. Safe for use by several
 * threads.
 *
 * <p>
 * A call that lasts for longer than the maximum processing time is abandoned:
 * <ol>
 * <li>the attempt of each message of the call fails, so that its permit is free and the
 * message is retried or dead-lettered;</li>
 * <li>the worker that called the handler is replaced, and ends when the handler
 * returns;</li>
 * <li>a later result of the handler does not count.</li>
 * </ol>
 * While more messages are abandoned than the consumer has permits, or abandoned calls
 * hold more threads than handlers run at once, the consumer reads no messages, so that
 * threads do not pile up.
 */
final class HandlerRuns {

	/** Returned by {@link #abandonOverdue} while no handler runs. */
	static final long NOTHING_RUNS = TimeUnit.HOURS.toNanos(1);

	// immutable

	private final ConsumerState state;

	/** The most calls at once: fewer than the concurrency if each call has a batch. */
	private final int handlers;

	private final Duration maxProcessingTime;

	private final QueueObserver observer;

	/** Takes the messages of a call whose outcome could not be decided. */
	private final BiConsumer<List<DeliveryTask>, Throwable> onUndecided;

	// shared and safe

	private final Set<Run> running = ConcurrentHashMap.newKeySet();

	private final Set<Run> abandoned = ConcurrentHashMap.newKeySet();

	private final AtomicInteger inFlight = new AtomicInteger();

	private final AtomicInteger abandonedMessages = new AtomicInteger();

	private volatile Runnable onFirst = () -> {
	};

	HandlerRuns(ConsumerState state, int handlers, QueueObserver observer,
			BiConsumer<List<DeliveryTask>, Throwable> onUndecided) {
		this.state = state;
		this.handlers = handlers;
		this.maxProcessingTime = state.settings().retry().maxProcessingTime();
		this.observer = observer;
		this.onUndecided = onUndecided;
	}

	/** Sets the wake-up for when a call begins while no other call is under way. */
	void onFirst(Runnable wakeUp) {
		this.onFirst = wakeUp;
	}

	@FunctionalInterface
	interface HandlerCall {

		@Nullable CompletionStage<?> call() throws Throwable;

	}

	/**
	 * Calls the handler on this thread, within the scope of its span, which is closed
	 * before a stage can end the span on another thread.
	 * @param outcome takes, once, what the handler threw or why the call was abandoned,
	 * {@code null} if the handler returned: perhaps later, and on another thread
	 */
	void call(List<DeliveryTask> tasks, MessageSpan span, HandlerCall handler, Consumer<@Nullable Throwable> outcome) {
		Run run = begin(tasks, outcome);
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

	/** Registers a call of a handler on this thread. */
	Run begin(List<DeliveryTask> tasks, Consumer<@Nullable Throwable> outcome) {
		Run run = new Run(tasks, outcome);
		tasks.forEach((task) -> task.enter(Stage.HANDLING));
		this.running.add(run);
		if (this.inFlight.getAndAdd(tasks.size()) == 0) {
			this.onFirst.run();
		}
		return run;
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

	/** The number of messages that handlers have, without abandoned calls. */
	int inFlight() {
		return this.inFlight.get();
	}

	/** Whether any call that began before a time is under way and not abandoned. */
	boolean areAnyFromBefore(long nanos) {
		return this.running.stream().anyMatch((run) -> run.sinceNanos - nanos < 0);
	}

	boolean areAnyAbandoned() {
		return !this.abandoned.isEmpty();
	}

	/** The calls whose handlers have been abandoned and have not ended. */
	AbandonedRuns abandoned() {
		return new AbandonedRuns(this.abandoned.stream().map(Run::describe).toList(), areTooManyAbandoned());
	}

	/** Whether reading must wait until abandoned handlers have ended. */
	boolean areTooManyAbandoned() {
		return areAnyAbandoned() && (this.abandonedMessages.get() > this.state.settings().concurrency()
				|| this.abandoned.stream().filter((run) -> run.thread != null).count() > this.handlers);
	}

	/**
	 * Abandons each call that exceeds the maximum processing time.
	 * @param letGo takes the thread of an abandoned call, and returns the action that
	 * replaces its worker
	 * @return the time until the next call may exceed it, ns
	 */
	long abandonOverdue(Function<Thread, @Nullable Runnable> letGo) {
		long next = NOTHING_RUNS;
		for (Run run : this.running) {
			long left = this.maxProcessingTime.toNanos() - (System.nanoTime() - run.sinceNanos);
			if (left > 0) {
				next = Math.min(next, left);
			}
			else {
				run.abandon(letGo);
			}
		}
		return next;
	}

	/** One call. Its outcome is the end of the handler, or its earlier abandonment. */
	final class Run {

		private static final int IDS = 3;

		private static final int FRAMES = 8;

		private final List<DeliveryTask> tasks;

		private final Consumer<@Nullable Throwable> outcome;

		private final long sinceNanos = System.nanoTime();

		private final AtomicBoolean open = new AtomicBoolean(true);

		/** The thread that the handler holds, {@code null} if it holds none. */
		private volatile @Nullable Thread thread = Thread.currentThread();

		Run(List<DeliveryTask> tasks, Consumer<@Nullable Throwable> outcome) {
			this.tasks = tasks;
			this.outcome = outcome;
		}

		/** Records that the handler has returned, perhaps with an open stage. */
		synchronized void leaveThread() {
			this.thread = null;
		}

		/** Gives up the thread of this call. The handler cannot return meanwhile. */
		synchronized @Nullable Runnable letGo(Function<Thread, @Nullable Runnable> letGo) {
			Thread held = this.thread;
			return (held != null) ? letGo.apply(held) : null;
		}

		/** Records that the handler has thrown a failure or returned. */
		void ended(@Nullable Throwable failure) {
			boolean wereTooMany = areTooManyAbandoned();
			leaveThread();
			if (close()) {
				decide(failure);
			}
			else {
				forgetAbandoned();
				if (wereTooMany && !areTooManyAbandoned()) {
					HandlerRuns.this.state.readable();
				}
			}
		}

		private void abandon(Function<Thread, @Nullable Runnable> letGo) {
			// Before the call is closed: its handler may return at any moment
			HandlerRuns.this.abandoned.add(this);
			HandlerRuns.this.abandonedMessages.addAndGet(this.tasks.size());
			if (!close()) {
				forgetAbandoned();
				return;
			}
			Thread held = this.thread;
			// First of all: the old thread must not take the work of its replacement
			Runnable replacement = letGo(letGo);
			this.tasks.forEach((task) -> task.enter(Stage.ABANDONED));
			HandlerRuns.this.observer.abandoned(this.tasks.get(0).queue(), this.tasks.size());
			LogContext.during(this.tasks,
					() -> decide(new HandlerTimeoutException(HandlerRuns.this.maxProcessingTime, held)));
			if (replacement != null) {
				replacement.run();
			}
		}

		/** Closes the call, so that it has one outcome: {@code true} only once. */
		private boolean close() {
			return this.open.compareAndSet(true, false);
		}

		private void decide(@Nullable Throwable failure) {
			// In this order: as long as a call counts, abandonOverdue finds it
			HandlerRuns.this.inFlight.addAndGet(-this.tasks.size());
			HandlerRuns.this.running.remove(this);
			try {
				this.outcome.accept(failure);
			}
			catch (Throwable broken) {
				HandlerRuns.this.onUndecided.accept(this.tasks, broken);
			}
		}

		private void forgetAbandoned() {
			if (HandlerRuns.this.abandoned.remove(this)) {
				HandlerRuns.this.abandonedMessages.addAndGet(-this.tasks.size());
			}
		}

		/** Describes the call for a log line: ids, duration, and stack of its thread. */
		private String describe() {
			List<String> ids = this.tasks.stream().map(DeliveryTask::id).toList();
			String more = (ids.size() > IDS) ? " and " + (ids.size() - IDS) + " more" : "";
			Thread held = this.thread;
			return "message " + String.join(", ", ids.subList(0, Math.min(IDS, ids.size()))) + more + " for "
					+ Duration.ofNanos(System.nanoTime() - this.sinceNanos).toSeconds() + " s"
					+ ((held != null) ? " in thread '" + held.getName() + "' at " + top(held)
							: "; the stage that the handler returned has not completed");
		}

		private static String top(Thread thread) {
			Stream<String> frames = Stream.of(thread.getStackTrace()).map(StackTraceElement::toString);
			return frames.limit(FRAMES).collect(Collectors.joining(" <- "));
		}

	}

}
