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
 * One call of a handler. The outcome of the call is the result of the handler, or a
 * timeout that comes first.
 *
 * <p>
 * An interrupt never reaches the next message of a thread: the thread is interrupted only
 * under the monitor of this call and only while the handler holds the thread, and the
 * handler gives the thread up under the same monitor, which clears the interrupt.
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
	 * Begins a call on this thread.
	 * @param tasks the messages of the call
	 * @param outcome takes the failure of the call, or {@code null} if the handler
	 * succeeded
	 * @param interruptible whether the call is stopped when its message is cancelled
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

	/** When the call began, by {@link System#nanoTime()}. */
	long sinceNanos() {
		return this.sinceNanos;
	}

	/**
	 * Returns the timeout with which the attempt fails, whatever the handler does later;
	 * {@code null} if the call has not timed out.
	 */
	@Nullable HandlerTimeoutException timeout() {
		return this.timeout;
	}

	synchronized boolean holdsThread() {
		return this.thread != null;
	}

	/**
	 * Records that the handler has returned from this thread, and clears an interrupt
	 * that was meant for the handler.
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
	 * @return whether the caller must cancel the stage, because the call was stopped
	 * before
	 */
	synchronized boolean leaveThreadFor(CompletionStage<?> returned) {
		leaveThread();
		this.stage = returned;
		return this.stopped;
	}

	/**
	 * Stops the handler: interrupts the thread that it holds.
	 * @return the stage to cancel, {@code null} if there is none
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
	 * Closes the call, so that it has only one outcome, and returns {@code true} at the
	 * first call of this method only.
	 */
	boolean close() {
		return this.undecided.compareAndSet(true, false);
	}

	void decide(@Nullable Throwable failure) {
		this.outcome.accept(failure);
	}

	/** Cancels a stage, if its kind allows that. */
	static void cancel(CompletionStage<?> stage) {
		try {
			stage.toCompletableFuture().cancel(true);
		}
		catch (UnsupportedOperationException unsupported) {
			// Only its source can complete this kind of stage, so it cannot be cancelled
		}
	}

	/** Describes the call for a log line: ids, duration, and stack of its thread. */
	String describe() {
		List<String> ids = this.tasks.stream().map(DeliveryTask::id).toList();
		String more = (ids.size() > IDS) ? " and " + (ids.size() - IDS) + " more" : "";
		Thread held;
		synchronized (this) {
			held = this.thread;
		}
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
