package io.delayqueue.delivery;

import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.delivery.OutcomePolicy.Began;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handler with each message.
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
		this.runs.call(List.of(task), began.span(), () -> this.handler.handle(task),
				(failure) -> ended(task, began, failure, end));
	}

	private void ended(DeliveryTask task, Began began, @Nullable Throwable failure, Consumer<Settlement> end) {
		Settlement settlement = began.span().during(() -> this.outcomePolicy.of(task, began, failure, false));
		began.span().end();
		end.accept(settlement);
	}

}
