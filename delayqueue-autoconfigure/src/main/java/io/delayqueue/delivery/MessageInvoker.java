package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.delayqueue.delivery.OutcomePolicy.Began;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * Hands over messages one by one.
 */
final class MessageInvoker implements HandlerInvoker {

	// immutable

	private final MessageHandler handler;

	private final OutcomePolicy outcomePolicy;

	private final QueueObserver observer;

	private final MessageTracing tracing;

	private final HandlerRuns runs;

	MessageInvoker(MessageHandler handler, OutcomePolicy outcomePolicy, HandlerRuns runs, ConsumerTools tools) {
		this.handler = handler;
		this.outcomePolicy = outcomePolicy;
		this.runs = runs;
		this.observer = tools.observer();
		this.tracing = tools.tracing();
	}

	@Override
	public void run(List<DeliveryTask> tasks, Consumer<Settlement> end) {
		tasks.forEach((task) -> run(task, end));
	}

	private void run(DeliveryTask task, Consumer<Settlement> end) {
		if (task.attempt() == 1) {
			this.observer.delivered(task.queue(), task.lateness());
		}
		LogContext.during(task, () -> call(task, end));
	}

	private void call(DeliveryTask task, Consumer<Settlement> end) {
		Began began = Began.now(this.tracing.processing(task.queue(), task.id(), task.attempt(), task.headers()));
		HandlerRun run = this.runs.begin(List.of(task), (failure) -> ended(task, began, failure, end));
		Throwable thrown = null;
		try {
			CompletionStage<?> stage = handle(task, began.span());
			if (stage != null) {
				run.leaveThread();
				stage.whenComplete((ignored, failure) -> LogContext.during(task,
						() -> run.ended(MessageHandler.causeOf(failure))));
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
		run.ended(thrown);
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
		Settlement settlement = began.span().during(() -> this.outcomePolicy.of(task, began, failure, false));
		began.span().end();
		end.accept(settlement);
	}

}
