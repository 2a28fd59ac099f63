package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * Hands over messages together:
 * <ol>
 * <li>each message is read; what cannot be read is settled at once;</li>
 * <li>the handler is called with all others;</li>
 * <li>each of them is settled by itself, by what the handler said of it. What the handler
 * says of all of them sets none aside.</li>
 * </ol>
 */
final class BatchHandling implements Handling {

	// immutable

	private final BatchHandler handler;

	private final Verdict verdict;

	private final QueueObserver observer;

	// shared and safe

	private final AtomicInteger running = new AtomicInteger();

	BatchHandling(BatchHandler handler, Verdict verdict, QueueObserver observer) {
		this.handler = handler;
		this.verdict = verdict;
		this.observer = observer;
	}

	@Override
	public int running() {
		return this.running.get();
	}

	@Override
	public void run(List<DeliveryTask> tasks, Consumer<Settlement> end) {
		this.running.addAndGet(tasks.size());
		Running batch = new Running(new ArrayList<>(tasks.size()), System.nanoTime(), end);
		List<Object> read = new ArrayList<>(tasks.size());
		for (DeliveryTask task : tasks) {
			task.start();
			if (task.attempt() == 1) {
				this.observer.delivered(task.queue(), task.lateness());
			}
			LogContext.during(task, () -> read(task, batch, read));
		}
		if (!read.isEmpty()) {
			String queue = tasks.get(0).queue();
			this.observer.batched(queue, read.size());
			LogContext.during(queue, () -> call(batch, read));
		}
	}

	/**
	 * A batch whose handler has not ended.
	 *
	 * @param tasks the deliveries that the handler has
	 * @param beganNanos when it began
	 * @param end is given each settlement
	 */
	private record Running(List<DeliveryTask> tasks, long beganNanos, Consumer<Settlement> end) {
	}

	private void read(DeliveryTask task, Running batch, List<Object> read) {
		try {
			read.add(this.handler.read(task));
			batch.tasks().add(task);
		}
		catch (Throwable failure) {
			ended(task, batch, failure, false);
		}
	}

	private void call(Running batch, List<Object> read) {
		Throwable thrown = null;
		try {
			CompletionStage<?> stage = this.handler.handle(read);
			if (stage != null) {
				stage.whenComplete((ignored, failure) -> ended(batch, Verdict.causeOf(failure)));
				return;
			}
		}
		catch (Throwable failure) {
			thrown = failure;
		}
		finally {
			// What a handler did to its thread is not the next message's business
			Thread.interrupted();
		}
		ended(batch, thrown);
	}

	private void ended(Running batch, @Nullable Throwable failure) {
		BatchOutcome outcome = BatchOutcome.of(batch.tasks(), failure);
		Throwable ofAll = outcome.ofAll();
		if (ofAll != null) {
			this.verdict.tellOf(batch.tasks(), ofAll);
		}
		boolean shared = ofAll != null && batch.tasks().size() > 1;
		batch.tasks()
			.forEach((task) -> LogContext.during(task, () -> ended(task, batch, outcome.failureOf(task), shared)));
	}

	private void ended(DeliveryTask task, Running batch, @Nullable Throwable failure, boolean shared) {
		this.running.decrementAndGet();
		batch.end().accept(this.verdict.of(task, batch.beganNanos(), failure, shared));
	}

}
