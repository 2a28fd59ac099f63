package io.delayqueue.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.delayqueue.BatchFailedException;
import io.delayqueue.delivery.OutcomePolicy.Began;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * Calls the handler of one consumer with batches of messages:
 * <ol>
 * <li>the handler converts each message to an element of the batch; a message that it
 * cannot convert is settled at once;</li>
 * <li>the invoker calls the handler with all converted elements;</li>
 * <li>the invoker settles each message by the outcome that the handler reports for this
 * message. If a whole batch of several messages fails, each of its messages is retried,
 * and none is dead-lettered.</li>
 * </ol>
 */
record BatchInvoker(BatchHandler handler, OutcomePolicy outcomePolicy, HandlerRuns runs, QueueObserver observer,
		MessageTracing tracing, Consumer<Settlement> settlements) {

	void handleBatch(List<DeliveryTask> tasks) {
		String queue = tasks.get(0).queue();
		Began began = Began.now(this.tracing.processing(queue, tasks, DeliveryTask::id, DeliveryTask::headers));
		Running batch = new Running(new ArrayList<>(tasks.size()), began);
		List<Object> read = began.span().during(() -> read(tasks, batch));
		if (read.isEmpty()) {
			began.span().end();
			return;
		}
		this.observer.batched(queue, read.size());
		LogContext.during(queue, () -> this.runs.run(batch.tasks(), began.span(), () -> this.handler.handle(read),
				false, (failure) -> ended(batch, failure)));
	}

	/**
	 * A batch whose handler has not ended.
	 *
	 * @param tasks the deliveries in the batch
	 * @param began when the handler call began
	 */
	private record Running(List<DeliveryTask> tasks, Began began) {
	}

	private List<Object> read(List<DeliveryTask> tasks, Running batch) {
		List<Object> read = new ArrayList<>(tasks.size());
		for (DeliveryTask task : tasks) {
			if (task.attempt() == 1) {
				this.observer.delivered(task.queue(), task.lateness());
			}
			LogContext.during(task, () -> read(task, batch, read));
		}
		return read;
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

	private void ended(Running batch, @Nullable Throwable failure) {
		MessageSpan span = batch.began().span();
		MessageSpan.Scope scope = span.open();
		try {
			settle(batch, BatchOutcome.of(batch.tasks(), failure));
		}
		finally {
			scope.close();
			span.end();
		}
	}

	private void settle(Running batch, BatchOutcome outcome) {
		Throwable ofAll = outcome.ofAll();
		if (ofAll != null) {
			this.outcomePolicy.logShared(batch.tasks(), ofAll);
		}
		boolean shared = ofAll != null && batch.tasks().size() > 1;
		batch.tasks()
			.forEach((task) -> LogContext.during(task, () -> ended(task, batch, outcome.failureOf(task), shared)));
	}

	private void ended(DeliveryTask task, Running batch, @Nullable Throwable failure, boolean shared) {
		this.settlements.accept(this.outcomePolicy.of(task, batch.began(), failure, shared));
	}

	/**
	 * The outcome of each message of a batch.
	 *
	 * @param ofAll the failure of the whole batch, {@code null} if there is none
	 * @param ofSome names the failed messages, {@code null} if it names none
	 */
	record BatchOutcome(@Nullable Throwable ofAll, @Nullable BatchFailedException ofSome) {

		static BatchOutcome of(List<DeliveryTask> tasks, @Nullable Throwable failure) {
			if (!(MessageHandler.causeOf(failure) instanceof BatchFailedException some)) {
				return new BatchOutcome(failure, null);
			}
			if (some.failures().isEmpty()) {
				return new BatchOutcome(failure, null);
			}
			Set<String> known = tasks.stream().map(DeliveryTask::id).collect(Collectors.toSet());
			return some.failures()
				.keySet()
				.stream()
				.filter((id) -> !known.contains(id))
				.findFirst()
				.map((unknown) -> new BatchOutcome(
						new IllegalStateException("The BatchFailedException of the listener names message '" + unknown
								+ "', which is not in its batch: so the whole batch counts as failed", some),
						null))
				.orElseGet(() -> new BatchOutcome(null, some));
		}

		@Nullable Throwable failureOf(DeliveryTask task) {
			return (this.ofSome != null) ? this.ofSome.failureOf(task.id(), task.group()).orElse(null) : this.ofAll;
		}

	}

}
