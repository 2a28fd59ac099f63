package io.delayqueue.delivery;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.delayqueue.UnreadableMessageException;
import io.delayqueue.delivery.FailureRule.Decision;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Runs the handler of one consumer, and decides by how it ended what becomes of the
 * message. Safe for use by several threads.
 */
final class Handling {

	// immutable

	private final MessageHandler handler;

	private final FailureRule failureRule;

	private final QueueObserver observer;

	// shared and safe

	private final AtomicInteger running = new AtomicInteger();

	Handling(ConsumerPlan plan, QueueObserver observer) {
		this.handler = plan.handler();
		this.failureRule = new FailureRule(plan.settings());
		this.observer = observer;
	}

	/** How many handlers run at this moment. */
	int running() {
		return this.running.get();
	}

	/**
	 * Runs the handler.
	 * @param task the delivery
	 * @param end is given the settlement when the handler has ended: perhaps later, and
	 * by another thread
	 */
	void run(DeliveryTask task, Consumer<Settlement> end) {
		this.running.incrementAndGet();
		task.start();
		if (task.attempt() == 1) {
			this.observer.delivered(task.queue(), task.lateness());
		}
		LogContext.during(task, () -> call(task, end));
	}

	/** What becomes of a message that no handler can be given. */
	void unreadable(DeliveryTask task, RuntimeException problem, Consumer<Settlement> end) {
		Throwable failure = new UnreadableMessageException(String.valueOf(problem.getMessage()), problem);
		LogContext.during(task, () -> end.accept(settlement(task, System.nanoTime(), failure)));
	}

	private void call(DeliveryTask task, Consumer<Settlement> end) {
		long began = System.nanoTime();
		Throwable failure = null;
		try {
			CompletionStage<?> stage = this.handler.handle(task);
			if (stage != null) {
				stage.whenComplete((ignored, failed) -> LogContext.during(task,
						() -> ended(task, began, (failed instanceof CompletionException && failed.getCause() != null)
								? failed.getCause() : failed, end)));
				return;
			}
		}
		catch (Throwable thrown) {
			failure = thrown;
		}
		finally {
			// What a handler did to its thread is not the next message's business
			Thread.interrupted();
		}
		ended(task, began, failure, end);
	}

	private void ended(DeliveryTask task, long began, @Nullable Throwable failure, Consumer<Settlement> end) {
		this.running.decrementAndGet();
		end.accept(settlement(task, began, failure));
	}

	private Settlement settlement(DeliveryTask task, long began, @Nullable Throwable failure) {
		Duration took = Duration.ofNanos(System.nanoTime() - began);
		if (failure == null && task.wasHandlerTold()) {
			// Perhaps nobody has taken the message back yet: an acknowledgement would
			// count
			failure = new LostLeaseException();
		}
		if (failure == null) {
			this.observer.handled(task.queue(), HandlerOutcome.SUCCESS, took);
			return Settlement.acknowledge(task);
		}
		Decision decision = decide(task, failure);
		this.observer.handled(task.queue(), decision.outcome(), took);
		return decision.settlement();
	}

	private Decision decide(DeliveryTask task, Throwable failure) {
		try {
			return this.failureRule.decide(task, failure);
		}
		catch (Throwable broken) {
			// An exception that cannot even say what it is must not cost a place
			return new Decision(
					Settlement.deadLetter(task, FailureReason.HANDLER_FAILED.because(failure.getClass().getName())),
					HandlerOutcome.FAILURE);
		}
	}

}
