package io.delayqueue.delivery;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.delayqueue.observe.MessageSpan;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handlers of one consumer, on the thread of the caller or on a separate
 * thread. {@link HandlerRuns} abandons a handler call after its timeout.
 *
 * @param state the state of the consumer
 * @param runs the handler calls that are under way
 */
record HandlerCaller(ConsumerState state, HandlerRuns runs) {

	@FunctionalInterface
	interface HandlerCall {

		@Nullable CompletionStage<?> call() throws Throwable;

	}

	/**
	 * Calls the handler on the calling thread, within the scope of its tracing span. The
	 * scope closes when the handler returns. If the handler has returned a stage, the
	 * span ends later, when the stage completes, possibly on another thread.
	 * @param interruptible whether the handler is stopped when all messages of the call
	 * are cancelled
	 * @param outcome called once with the exception of the handler, with the timeout if
	 * the handler was abandoned, or with {@code null} if the handler succeeded; perhaps
	 * later, and on another thread
	 */
	void call(List<DeliveryTask> tasks, MessageSpan span, HandlerCall handler, boolean interruptible,
			Consumer<@Nullable Throwable> outcome) {
		HandlerRun run = this.runs.begin(tasks, outcome, interruptible);
		this.runs.stopIfCancelled(run);
		Throwable thrown = null;
		try {
			CompletionStage<?> stage = within(span, handler);
			if (stage != null) {
				boolean isStopped = run.leaveThreadFor(stage);
				stage.whenComplete((ignored, failure) -> LogContext.during(tasks,
						() -> this.runs.ended(run, MessageHandler.causeOf(failure))));
				if (isStopped) {
					HandlerRun.cancel(stage);
				}
				return;
			}
		}
		catch (Throwable failure) {
			thrown = failure;
		}
		this.runs.ended(run, thrown);
	}

	/**
	 * Calls a handler as {@link #call} does, but on a separate thread, because the
	 * handler may never return. Before the call, this method frees the permits of all
	 * messages except suspects (messages whose earlier consumer may have crashed).
	 */
	void callAside(List<DeliveryTask> tasks, MessageSpan span, HandlerCall handler,
			Consumer<@Nullable Throwable> outcome) {
		tasks.stream()
			.filter((task) -> !task.isSuspect() && !task.hasReturnedPermit())
			.forEach(this.state::returnPermit);
		this.runs.execute(() -> LogContext.during(tasks, () -> call(tasks, span, handler, false, outcome)));
	}

	private static @Nullable CompletionStage<?> within(MessageSpan span, HandlerCall handler) throws Throwable {
		MessageSpan.Scope scope = span.open();
		try {
			return handler.call();
		}
		finally {
			scope.close();
		}
	}

}
