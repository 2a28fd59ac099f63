package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * Hands over messages one by one.
 */
final class MessageHandling implements Handling {

	// immutable

	private final MessageHandler handler;

	private final Verdict verdict;

	private final QueueObserver observer;

	// shared and safe

	private final AtomicInteger running = new AtomicInteger();

	MessageHandling(MessageHandler handler, Verdict verdict, QueueObserver observer) {
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
		tasks.forEach((task) -> run(task, end));
	}

	private void run(DeliveryTask task, Consumer<Settlement> end) {
		this.running.incrementAndGet();
		task.start();
		if (task.attempt() == 1) {
			this.observer.delivered(task.queue(), task.lateness());
		}
		LogContext.during(task, () -> call(task, end));
	}

	private void call(DeliveryTask task, Consumer<Settlement> end) {
		long began = System.nanoTime();
		Throwable thrown = null;
		try {
			CompletionStage<?> stage = this.handler.handle(task);
			if (stage != null) {
				stage.whenComplete((ignored, failure) -> LogContext.during(task,
						() -> ended(task, began, Verdict.causeOf(failure), end)));
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
		ended(task, began, thrown, end);
	}

	private void ended(DeliveryTask task, long began, @Nullable Throwable failure, Consumer<Settlement> end) {
		this.running.decrementAndGet();
		end.accept(this.verdict.of(task, began, failure));
	}

}
