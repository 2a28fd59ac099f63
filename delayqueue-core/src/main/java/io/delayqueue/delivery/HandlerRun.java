package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * One call of a handler. Its outcome is either the end of the handler, or the earlier
 * abandonment of the call. Safe for use by several threads.
 */
final class HandlerRun {

	private static final int IDS = 3;

	private static final int FRAMES = 8;

	private final HandlerRuns runs;

	private final List<DeliveryTask> tasks;

	private final long sinceNanos = System.nanoTime();

	private final Consumer<@Nullable Throwable> outcome;

	private final AtomicBoolean open = new AtomicBoolean(true);

	private volatile @Nullable Thread thread = Thread.currentThread();

	HandlerRun(HandlerRuns runs, List<DeliveryTask> tasks, Consumer<@Nullable Throwable> outcome) {
		this.runs = runs;
		this.tasks = tasks;
		this.outcome = outcome;
	}

	List<DeliveryTask> tasks() {
		return this.tasks;
	}

	/** When it began, by {@link System#nanoTime()}. */
	long sinceNanos() {
		return this.sinceNanos;
	}

	/** The thread that the handler holds, {@code null} if it holds none. */
	@Nullable Thread thread() {
		return this.thread;
	}

	/** The handler has returned, perhaps with a stage that is not complete. */
	synchronized void leaveThread() {
		this.thread = null;
	}

	/**
	 * Gives up the thread; the handler cannot return meanwhile.
	 * @param letGo takes the thread; must return at once
	 * @return the result, {@code null} if the handler holds no thread
	 */
	synchronized @Nullable Runnable letGo(Function<Thread, @Nullable Runnable> letGo) {
		Thread held = this.thread;
		return (held != null) ? letGo.apply(held) : null;
	}

	/**
	 * The handler has ended.
	 * @param failure what it threw, {@code null} if it returned
	 */
	void ended(@Nullable Throwable failure) {
		this.runs.ended(this, failure);
	}

	/** Describes the call for a log line: ids, duration, and stack of its thread. */
	String describe() {
		List<String> ids = this.tasks.stream().map(DeliveryTask::id).toList();
		String more = (ids.size() > IDS) ? " and " + (ids.size() - IDS) + " more" : "";
		Thread held = this.thread;
		return "message " + String.join(", ", ids.subList(0, Math.min(IDS, ids.size()))) + more + " for "
				+ Duration.ofNanos(System.nanoTime() - this.sinceNanos).toSeconds() + " s"
				+ ((held != null) ? " in thread '" + held.getName() + "' at " + top(held)
						: "; the stage that the handler returned has not completed");
	}

	private static String top(Thread thread) {
		return Stream.of(thread.getStackTrace())
			.limit(FRAMES)
			.map(StackTraceElement::toString)
			.collect(Collectors.joining(" <- "));
	}

	/**
	 * Closes the call, so that it has one outcome.
	 * @return {@code true} for the first caller only
	 */
	boolean close() {
		return this.open.compareAndSet(true, false);
	}

	/**
	 * Passes the outcome on.
	 * @param failure why the messages were not handled, {@code null} if they were
	 */
	void decide(@Nullable Throwable failure) {
		this.outcome.accept(failure);
	}

}
