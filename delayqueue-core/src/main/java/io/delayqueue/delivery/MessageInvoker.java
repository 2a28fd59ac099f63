package io.delayqueue.delivery;

import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.delivery.OutcomePolicy.Began;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * Calls a handler with one message at a time. When the handler has ended, perhaps later
 * and on another thread, the invoker passes the settlement of the message to
 * {@code settlements}.
 */
record MessageInvoker(MessageHandler handler, OutcomePolicy outcomePolicy, HandlerRuns runs, QueueObserver observer,
		MessageTracing tracing, Consumer<Settlement> settlements) {

	void handleEach(List<DeliveryTask> tasks) {
		for (DeliveryTask task : tasks) {
			if (task.attempt() == 1) {
				this.observer.delivered(task.queue(), task.lateness());
			}
			LogContext.during(task, () -> handle(task));
		}
	}

	private void handle(DeliveryTask task) {
		Began began = Began.now(this.tracing.processing(task.queue(), task.id(), task.attempt(), task.headers()));
		this.runs.run(List.of(task), began.span(), () -> this.handler.handle(task), this.handler.isInterruptible(),
				(failure) -> ended(task, began, failure));
	}

	/**
	 * Settles a message whose handler has ended. If the handler has timed out and has a
	 * method for timeouts, {@link MessageHandler#timedOut} decides on the settlement. The
	 * attempt fails if that method times out as well.
	 */
	private void ended(DeliveryTask task, Began began, @Nullable Throwable failure) {
		if (failure instanceof HandlerTimeoutException timeout && task.stage() == Stage.ABANDONED && !task.isCancelled()
				&& this.handler.handlesTimeouts()) {
			this.runs.runAside(List.of(task), began.span(), () -> {
				this.handler.timedOut(task, timeout);
				return null;
			}, (rethrown) -> settle(task, began, rethrown));
			return;
		}
		settle(task, began, failure);
	}

	private void settle(DeliveryTask task, Began began, @Nullable Throwable failure) {
		Settlement settlement = began.span().during(() -> this.outcomePolicy.of(task, began, failure, false));
		began.span().end();
		this.settlements.accept(settlement);
	}

}
