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
 * One call of a handler. It has one outcome: how the handler ended, or that the call was
 * abandoned before. Safe for use by several threads.
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

	/** The handler has given its thread back, for good or to go on in a stage. */
	synchronized void leaveThread() {
		this.thread = null;
	}

	/**
	 * Lets go of the thread, which the handler does not give back meanwhile.
	 * @param letGo is given the thread; returns at once
	 * @return what it returned, {@code null} if the handler holds no thread
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

	/** What it is about, for a human: ids, how long it runs, and where its thread is. */
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
	 * Takes the right to give the outcome.
	 * @return {@code true} for the first caller only
	 */
	boolean close() {
		return this.open.compareAndSet(true, false);
	}

	/**
	 * Gives the outcome.
	 * @param failure why the messages were not handled, {@code null} if they were
	 */
	void decide(@Nullable Throwable failure) {
		this.outcome.accept(failure);
	}

}
