package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.delayqueue.delivery.Verdict.Began;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.MessageTracing;
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

	private final MessageTracing tracing;

	// shared and safe

	private final AtomicInteger running = new AtomicInteger();

	MessageHandling(MessageHandler handler, Verdict verdict, ConsumerTools tools) {
		this.handler = handler;
		this.verdict = verdict;
		this.observer = tools.observer();
		this.tracing = tools.tracing();
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
		Began began = Began.now(this.tracing.processing(task.queue(), task.id(), task.attempt(), task.headers()));
		Throwable thrown = null;
		try {
			CompletionStage<?> stage = handle(task, began.span());
			if (stage != null) {
				stage.whenComplete((ignored, failure) -> LogContext.during(task,
						() -> ended(task, began, MessageHandler.causeOf(failure), end)));
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

	/**
	 * The span must be done with this thread before a stage can end it on another one.
	 */
	private @Nullable CompletionStage<?> handle(DeliveryTask task, MessageSpan span) throws Throwable {
		MessageSpan.Scope scope = span.open();
		try {
			return this.handler.handle(task);
		}
		finally {
			scope.close();
		}
	}

	private void ended(DeliveryTask task, Began began, @Nullable Throwable failure, Consumer<Settlement> end) {
		this.running.decrementAndGet();
		Settlement settlement = began.span().during(() -> this.verdict.of(task, began, failure, false));
		began.span().end();
		end.accept(settlement);
	}

}
