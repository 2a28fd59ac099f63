package io.delayqueue.delivery;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.delayqueue.DeferException;
import io.delayqueue.DurationText;
import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.HoldException;
import io.delayqueue.RetryAfterException;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.delivery.FailureNote.Reason;
import io.delayqueue.delivery.Settlement.Hold;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a delivery is settled; the decision depends on the result of the handler,
 * or on the expiry of the message. Counts the outcome, and records the outcome in the
 * tracing span. Safe for use by several threads.
 */
record OutcomePolicy(QueueSettings settings, QueueObserver observer) {

	private static final Log logger = LogFactory.getLog(OutcomePolicy.class);

	/** The wait before a retry of a message whose outcome could not be decided. */
	private static final Duration UNDECIDED = Duration.ofSeconds(10);

	/** The shortest time until a deferred message is delivered again. */
	private static final Duration SHORTEST_DEFERRAL = Duration.ofMillis(100);

	private static final String DEAD_LETTERED = " and is dead-lettered";

	/**
	 * The decision on a delivery.
	 *
	 * @param settlement how the delivery is settled
	 * @param outcome the outcome that the meters count
	 */
	private record Decision(Settlement settlement, HandlerOutcome outcome) {
	}

	/** Decides how a message whose record cannot be read is settled. */
	Settlement unreadable(DeliveryTask task, RuntimeException problem) {
		return of(task, Began.now(MessageSpan.NONE),
				new UnreadableMessageException(String.valueOf(problem.getMessage()), problem), false);
	}

	/**
	 * Decides how a message whose handler has ended is settled.
	 * @param task the delivery
	 * @param began when the handler began
	 * @param failure the exception that the handler threw, {@code null} if it succeeded
	 * @param shared whether several messages share this failure, and
	 * {@link #logShared(List, Throwable)} was called
	 */
	Settlement of(DeliveryTask task, Began began, @Nullable Throwable failure, boolean shared) {
		Duration took = Duration.ofNanos(System.nanoTime() - began.nanos());
		if (failure == null && task.hasHandlerSeenLoss()) {
			// The handler has seen that its lease was lost, and may have stopped
			// half-way; an acknowledgement would still count until the message is
			// reclaimed
			failure = new LostLeaseException();
		}
		if (failure == null) {
			this.observer.handled(task.queue(), HandlerOutcome.SUCCESS, took);
			began.span().outcome(HandlerOutcome.SUCCESS);
			return Settlement.acknowledge(task).after(took, null);
		}
		Decision decision = decide(task, failure, shared);
		this.observer.handled(task.queue(), decision.outcome(), took);
		began.span().outcome(decision.outcome());
		if (decision.outcome() != HandlerOutcome.DEFER && decision.outcome() != HandlerOutcome.CANCELLED) {
			began.span().failed(Objects.requireNonNull(MessageHandler.causeOf(failure)));
		}
		return decision.settlement().after(took, stack(decision.outcome(), failure));
	}

	/**
	 * Returns the stack trace to store with a message, {@code null} if its queue keeps
	 * none. The exception of a payload that cannot be read may quote the payload.
	 */
	private @Nullable String stack(HandlerOutcome outcome, Throwable failure) {
		int most = this.settings.retry().failureStack();
		if (most == 0 || (outcome != HandlerOutcome.RETRY && outcome != HandlerOutcome.FAILURE)) {
			return null;
		}
		try {
			StringWriter text = new StringWriter();
			Objects.requireNonNull(MessageHandler.causeOf(failure)).printStackTrace(new PrintWriter(text));
			return FailureNote.cut(text.toString(), most);
		}
		catch (RuntimeException | StackOverflowError broken) {
			// A method of the handler's exception has thrown an exception
			return null;
		}
	}

	/**
	 * Decides whether a message that had expired before its attempt began is dropped or
	 * dead-lettered, as configured for the queue.
	 */
	Settlement expired(DeliveryTask task) {
		Instant expiry = Instant.ofEpochMilli(task.expiryMillis());
		String said = describe(task) + " has expired at " + expiry;
		if (this.settings.expiry().drop()) {
			logger.debug(said + " and is dropped");
			return Settlement.expire(task);
		}
		logger.warn(said + DEAD_LETTERED);
		return Settlement.deadLetter(task,
				Reason.EXPIRED.because("expired at " + expiry + ", when attempt " + task.attempt() + " had not begun"));
	}

	/**
	 * Returns the settlement of a message whose outcome could not be decided: the message
	 * is retried, and the delivery counts as a failed attempt.
	 */
	Settlement undecided(DeliveryTask task, Throwable why) {
		logger.error("The outcome of message " + task.storedId() + " of queue '" + task.queue()
				+ "' could not be decided; the message is tried again", why);
		return Settlement.retry(task, UNDECIDED,
				Reason.HANDLER_FAILED.because("undecided: " + why.getClass().getName()));
	}

	/**
	 * The beginning of a handler call.
	 *
	 * @param nanos when the call began, by {@link System#nanoTime()}
	 * @param span the span that began with the call
	 */
	record Began(long nanos, MessageSpan span) {

		static Began now(MessageSpan span) {
			return new Began(System.nanoTime(), span);
		}

	}

	/**
	 * Logs a failure that several messages of a batch share, with its stack trace, once.
	 * Does not log a deferral, an exception that may quote a payload, or the failure of a
	 * single message.
	 */
	void logShared(List<DeliveryTask> tasks, Throwable failure) {
		Throwable cause = MessageHandler.causeOf(failure);
		if (tasks.size() == 1 || cause instanceof DeferException || cause instanceof HoldException
				|| cause instanceof UnreadableMessageException) {
			return;
		}
		String queue = tasks.get(0).queue();
		try {
			LogContext.during(queue, () -> logger.warn("A batch of " + tasks.size() + " messages of queue '" + queue
					+ "' failed; a log line for each message follows", failure));
		}
		catch (Throwable broken) {
			logger.debug("The failure of a batch of queue '" + queue + "' cannot be logged", broken);
		}
	}

	private Decision decide(DeliveryTask task, Throwable failure, boolean shared) {
		try {
			return byFailure(task, failure, shared);
		}
		catch (Throwable broken) {
			// A method of the handler's exception, such as getMessage, has thrown an
			// exception; the message must be settled nevertheless
			if (shared) {
				return byFailure(task, new IllegalStateException(failure.getClass().getName()), true);
			}
			return new Decision(
					Settlement.deadLetter(task, Reason.HANDLER_FAILED.because(failure.getClass().getName())),
					HandlerOutcome.FAILURE);
		}
	}

	/**
	 * Decides how a delivery whose handler threw an exception is settled. If a whole
	 * batch has failed, each message of the batch is retried alone, because a single
	 * message may be the cause.
	 */
	private Decision byFailure(DeliveryTask task, Throwable thrown, boolean shared) {
		if (task.isCancelled()) {
			logger.debug(describe(task) + " was cancelled, and its handler failed", thrown);
			// This settlement counts only if Redis has lost the cancellation; then the
			// message is delivered again
			return new Decision(Settlement.defer(task, Duration.ZERO), HandlerOutcome.CANCELLED);
		}
		Throwable failure = Objects.requireNonNull(MessageHandler.causeOf(thrown));
		if (failure instanceof DeferException defer) {
			return defer(task, () -> Settlement.defer(task, bounded(deferral(task, defer.delay()))));
		}
		if (failure instanceof HoldException hold) {
			return defer(task, () -> hold(task, hold));
		}
		int failures = task.failures().failures() + 1;
		Reason reason = reason(thrown, shared);
		boolean unreadable = reason == Reason.UNREADABLE;
		int most = switch (reason) {
			case UNREADABLE -> this.settings.retry().unreadableAttempts();
			case NEVER_RETRIED -> 1;
			default -> task.retry().maxAttempts();
		};
		if (shared || failures < most) {
			return again(task, thrown, shared, reason, failures, most);
		}
		if (unreadable) {
			logger.error(describe(task) + " cannot be read" + DEAD_LETTERED + ": " + failure.getMessage());
			whyUnreadable(task, failure);
		}
		else {
			logger.error(describe(task) + " failed for the last time" + DEAD_LETTERED, thrown);
		}
		return new Decision(Settlement.deadLetter(task, reason.of(failure)),
				unreadable ? HandlerOutcome.UNREADABLE : HandlerOutcome.FAILURE);
	}

	/**
	 * Returns the reason of a failure. An exception is also never retried if it wraps one
	 * that is never retried.
	 */
	private Reason reason(Throwable thrown, boolean shared) {
		Throwable failure = Objects.requireNonNull(MessageHandler.causeOf(thrown));
		if (failure instanceof UnreadableMessageException) {
			return Reason.UNREADABLE;
		}
		if (failure instanceof HandlerTimeoutException) {
			return Reason.TIMED_OUT;
		}
		RetrySettings retry = this.settings.retry();
		return (!shared && (retry.isNeverRetried(failure) || retry.isNeverRetried(thrown))) ? Reason.NEVER_RETRIED
				: Reason.HANDLER_FAILED;
	}

	private Decision again(DeliveryTask task, Throwable thrown, boolean shared, Reason reason, int failures, int most) {
		Throwable failure = Objects.requireNonNull(MessageHandler.causeOf(thrown));
		Duration wait = bounded((failure instanceof RetryAfterException named && !named.delay().isZero())
				? named.delay() : task.retry().backOff().waitAfter(failures));
		String said = describe(task) + " failed (" + failures + " of " + most + " attempts) and is tried again "
				+ (shared ? "alone " : "") + "in " + DurationText.of(wait);
		if (reason == Reason.UNREADABLE) {
			logger.warn(said + ": " + failure.getMessage());
			whyUnreadable(task, failure);
		}
		else if ((failures == 1 || reason == Reason.TIMED_OUT) && !shared) {
			logger.warn(said, thrown);
		}
		else {
			logger.warn(said + ": " + failure);
		}
		return new Decision(Settlement.retry(task, wait, reason.of(failure)), HandlerOutcome.RETRY);
	}

	private Decision defer(DeliveryTask task, Supplier<Settlement> deferred) {
		if (task.failures().defers() < this.settings.retry().maxDefers()) {
			return new Decision(deferred.get(), HandlerOutcome.DEFER);
		}
		logger.error(describe(task) + " was deferred " + this.settings.retry().maxDefers() + " times (max-defers)"
				+ DEAD_LETTERED);
		return new Decision(
				Settlement.deadLetter(task,
						Reason.DEFERRED_TOO_OFTEN
							.because("deferred " + this.settings.retry().maxDefers() + " times (max-defers)")),
				HandlerOutcome.FAILURE);
	}

	/**
	 * Returns a settlement that holds the queue or the group, and defers the message
	 * until the hold ends.
	 */
	private Settlement hold(DeliveryTask task, HoldException hold) {
		Instant now = Instant.ofEpochMilli(task.nowMillis());
		Instant until = hold.until();
		Duration stated = (until == null) ? Objects.requireNonNull(hold.duration()) : until.isAfter(now)
				? Duration.between(now, until) : Objects.requireNonNullElse(hold.otherwise(), Duration.ZERO);
		Duration wait = deferral(task, stated);
		Duration longest = this.settings.retry().maxHold();
		Duration lasting = Duration
			.ofMillis(((wait.compareTo(longest) > 0) ? longest : wait).plusNanos(999_999).toMillis());
		String group = task.group();
		if (group == null && !hold.isOfQueue()) {
			return Settlement.defer(task, bounded(lasting));
		}
		return Settlement.hold(task, bounded(lasting),
				new Hold(hold.isOfQueue() ? null : group, now.plus(lasting), hold.why()));
	}

	/**
	 * Returns how long a deferral or a hold lasts. A stated time of 0 means the back-off:
	 * without a wait the message would be delivered again at once, over and over.
	 */
	private static Duration deferral(DeliveryTask task, Duration stated) {
		Duration wait = stated.isZero() ? task.retry().backOff().waitAfter(task.failures().defers() + 1) : stated;
		return (wait.compareTo(SHORTEST_DEFERRAL) < 0) ? SHORTEST_DEFERRAL : wait;
	}

	private Duration bounded(Duration wait) {
		return (wait.compareTo(this.settings.maxDelay()) > 0) ? this.settings.maxDelay() : wait;
	}

	/**
	 * Logs why a payload could not be converted, at DEBUG only, because the exceptions
	 * may quote the payload.
	 */
	private static void whyUnreadable(DeliveryTask task, Throwable failure) {
		logger.debug("Cannot read " + describe(task), failure);
	}

	private static String describe(DeliveryTask task) {
		return "Message " + task.storedId() + " of queue '" + task.queue() + "'";
	}

	/**
	 * The failure of an attempt whose handler returned normally after it had detected the
	 * loss of its lease. The attempt fails because the handler may have stopped half-way.
	 */
	private static final class LostLeaseException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		LostLeaseException() {
			super("The handler returned after it had detected the loss of its lease", null, false, false);
		}

	}

}
