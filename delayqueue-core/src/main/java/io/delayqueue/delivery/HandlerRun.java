package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.delayqueue.HandlerTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One call of a handler. The outcome of a handler call is the result of the handler, or
 * the timeout if the timeout comes first.
 *
 * <p>
 * An interrupt that is meant for one handler never reaches the next handler on the same
 * thread. This class interrupts the thread only under its own monitor, and only while the
 * handler holds the thread. When the handler returns, this class clears the interrupt
 * under the same monitor.
 */
final class HandlerRun {

	private static final int IDS = 3;

	private static final int FRAMES = 8;

	private final List<DeliveryTask> tasks;

	private final Consumer<@Nullable Throwable> outcome;

	private final boolean interruptible;

	private final long sinceNanos = System.nanoTime();

	private final AtomicBoolean undecided = new AtomicBoolean(true);

	private volatile @Nullable HandlerTimeoutException timeout;

	// guarded by this

	/** The thread that the handler holds, {@code null} if it holds none. */
	private @Nullable Thread thread = Thread.currentThread();

	/** The stage that the handler has returned, {@code null} if it has returned none. */
	private @Nullable CompletionStage<?> stage;

	/**
	 * Whether the handler was stopped: its thread was interrupted, or its stage will be
	 * cancelled.
	 */
	private boolean stopped;

	/**
	 * Records that a handler call begins on the calling thread.
	 * @param tasks the messages of the call
	 * @param outcome takes the failure of the call, or {@code null} if the handler
	 * succeeded
	 * @param interruptible whether the handler is stopped when all messages of the call
	 * are cancelled
	 */
	HandlerRun(List<DeliveryTask> tasks, Consumer<@Nullable Throwable> outcome, boolean interruptible) {
		this.tasks = tasks;
		this.outcome = outcome;
		this.interruptible = interruptible;
	}

	List<DeliveryTask> tasks() {
		return this.tasks;
	}

	boolean isInterruptible() {
		return this.interruptible;
	}

	/** Returns when the handler call began, by {@link System#nanoTime()}. */
	long sinceNanos() {
		return this.sinceNanos;
	}

	/**
	 * Returns the exception with which the attempt fails even if the handler succeeds
	 * later; {@code null} if the handler has not timed out.
	 */
	@Nullable HandlerTimeoutException timeout() {
		return this.timeout;
	}

	synchronized boolean holdsThread() {
		return this.thread != null;
	}

	/**
	 * Records that the handler has returned from the calling thread, and clears an
	 * interrupt that was meant for the handler.
	 */
	synchronized void leaveThread() {
		if (this.thread == Thread.currentThread()) {
			Thread.interrupted();
			this.thread = null;
		}
	}

	/**
	 * Records that the handler has returned a stage, so that it no longer holds its
	 * thread.
	 * @return whether the caller must cancel the stage, because the handler call was
	 * stopped before the handler returned the stage
	 */
	synchronized boolean leaveThreadFor(CompletionStage<?> returned) {
		leaveThread();
		this.stage = returned;
		return this.stopped;
	}

	/**
	 * Stops the handler: interrupts the thread that it holds.
	 * @return the stage that the caller must cancel, {@code null} if the handler has
	 * returned none
	 */
	synchronized @Nullable CompletionStage<?> stop() {
		this.stopped = true;
		if (this.thread != null) {
			this.thread.interrupt();
		}
		return this.stage;
	}

	/**
	 * Records that the handler has run for too long, so that its attempt fails.
	 * @return {@code false} if the timeout was recorded before
	 */
	synchronized boolean timeOut(Duration limit) {
		if (this.timeout != null) {
			return false;
		}
		this.timeout = new HandlerTimeoutException(limit, this.thread);
		return true;
	}

	/**
	 * Passes the thread that the handler holds to {@code letGo}, and returns the action
	 * that {@code letGo} returns. The handler cannot leave its thread while this method
	 * runs.
	 */
	synchronized @Nullable Runnable letGo(Function<Thread, @Nullable Runnable> letGo) {
		return (this.thread != null) ? letGo.apply(this.thread) : null;
	}

	/**
	 * Closes this handler call, so that only one outcome counts. Returns {@code true}
	 * only when this method is called for the first time.
	 */
	boolean close() {
		return this.undecided.compareAndSet(true, false);
	}

	void decide(@Nullable Throwable failure) {
		this.outcome.accept(failure);
	}

	/** Cancels a stage, unless its implementation does not support cancellation. */
	static void cancel(CompletionStage<?> stage) {
		try {
			stage.toCompletableFuture().cancel(true);
		}
		catch (UnsupportedOperationException unsupported) {
			// Only the code that has created such a stage can complete it, so it cannot
			// be cancelled
		}
	}

	/**
	 * Describes this handler call for a log line: message ids, duration, and the stack of
	 * its thread.
	 */
	String describe() {
		String ids = this.tasks.stream()
			.limit(IDS)
			.map((task) -> task.storedId().toString())
			.collect(Collectors.joining(", "));
		String more = (this.tasks.size() > IDS) ? " and " + (this.tasks.size() - IDS) + " more" : "";
		Thread held;
		synchronized (this) {
			held = this.thread;
		}
		return "message " + ids + more + " for " + Duration.ofNanos(System.nanoTime() - this.sinceNanos).toSeconds()
				+ " s" + ((held != null) ? " in thread '" + held.getName() + "' at " + top(held)
						: "; the stage that the handler returned has not completed");
	}

	private static String top(Thread thread) {
		Stream<String> frames = Stream.of(thread.getStackTrace()).map(StackTraceElement::toString);
		return frames.limit(FRAMES).collect(Collectors.joining(" <- "));
	}

}
