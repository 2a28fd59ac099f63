package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DeferException;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.delivery.FailurePolicy.Decision;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.delayqueue.queue.QueueSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides by how a handler ended what becomes of a message, and lets it be counted and
 * traced. Safe for use by several threads.
 */
final class OutcomePolicy {

	private static final Log logger = LogFactory.getLog(OutcomePolicy.class);

	/** How long a message waits whose outcome could not be decided. */
	private static final Duration UNDECIDED = Duration.ofSeconds(10);

	private final FailurePolicy failurePolicy;

	private final QueueObserver observer;

	OutcomePolicy(QueueSettings settings, QueueObserver observer) {
		this.failurePolicy = new FailurePolicy(settings);
		this.observer = observer;
	}

	/** The message that no handler can be given. */
	Settlement unreadable(DeliveryTask task, RuntimeException problem) {
		return of(task, Began.now(MessageSpan.NONE),
				new UnreadableMessageException(String.valueOf(problem.getMessage()), problem), false);
	}

	/**
	 * Decides.
	 * @param task the delivery
	 * @param began when the handler began
	 * @param failure what the handler threw, or {@code null}
	 * @param shared whether several messages failed of it together, and
	 * {@link #logShared(List, Throwable)} was called
	 */
	Settlement of(DeliveryTask task, Began began, @Nullable Throwable failure, boolean shared) {
		Duration took = Duration.ofNanos(System.nanoTime() - began.nanos());
		if (failure == null && task.hasHandlerSeenLoss()) {
			// Perhaps nobody has taken the message back yet: an acknowledgement would
			// count
			failure = new LostLeaseException();
		}
		if (failure == null) {
			this.observer.handled(task.queue(), HandlerOutcome.SUCCESS, took);
			began.span().outcome(HandlerOutcome.SUCCESS);
			return Settlement.acknowledge(task);
		}
		Decision decision = decide(task, failure, shared);
		this.observer.handled(task.queue(), decision.outcome(), took);
		began.span().outcome(decision.outcome());
		if (decision.outcome() != HandlerOutcome.DEFER) {
			began.span().failed(failure);
		}
		return decision.settlement();
	}

	/**
	 * The message whose outcome could not be decided: it is tried again, and that counts
	 * as a failure, so that it comes to an end.
	 */
	Settlement undecided(DeliveryTask task, Throwable why) {
		logger.error("The outcome of message '" + task.id() + "' of queue '" + task.queue()
				+ "' could not be decided; it is tried again", why);
		return Settlement.retry(task, UNDECIDED,
				FailureReason.HANDLER_FAILED.because("undecided: " + why.getClass().getName()));
	}

	/**
	 * The beginning of a handler's work.
	 *
	 * @param nanos when it was
	 * @param span has begun with it
	 */
	record Began(long nanos, MessageSpan span) {

		static Began now(MessageSpan span) {
			return new Began(System.nanoTime(), span);
		}

	}

	/**
	 * Logs once what several messages have failed of together; not an answer, not what
	 * may quote a payload, and not the failure of a single one.
	 */
	void logShared(List<DeliveryTask> tasks, Throwable failure) {
		if (tasks.size() == 1 || failure instanceof DeferException || failure instanceof UnreadableMessageException) {
			return;
		}
		String queue = tasks.get(0).queue();
		try {
			LogContext.during(queue, () -> logger.warn("A batch of " + tasks.size() + " messages of queue '" + queue
					+ "' failed; what becomes of each follows", failure));
		}
		catch (Throwable broken) {
			logger.debug("The failure of a batch of queue '" + queue + "' cannot be logged", broken);
		}
	}

	private Decision decide(DeliveryTask task, Throwable failure, boolean shared) {
		try {
			return this.failurePolicy.decide(task, failure, shared);
		}
		catch (Throwable broken) {
			// An exception that cannot even say what it is must not cost a place
			if (shared) {
				return this.failurePolicy.decide(task, new IllegalStateException(failure.getClass().getName()), true);
			}
			return new Decision(
					Settlement.deadLetter(task, FailureReason.HANDLER_FAILED.because(failure.getClass().getName())),
					HandlerOutcome.FAILURE);
		}
	}

}
