package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.DeferException;
import io.delayqueue.RetryAfterException;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Decides what becomes of a message whose handler did not return: deferred, tried again,
 * or set aside.
 */
final class FailurePolicy {

	private static final Log logger = LogFactory.getLog(FailurePolicy.class);

	private final Duration maxDelay;

	private final RetrySettings retry;

	FailurePolicy(QueueSettings settings) {
		this.maxDelay = settings.maxDelay();
		this.retry = settings.retry();
	}

	/**
	 * A decision.
	 *
	 * @param settlement what to do
	 * @param outcome what to count
	 */
	record Decision(Settlement settlement, HandlerOutcome outcome) {
	}

	/**
	 * Decides.
	 * @param task the delivery
	 * @param failure what the handler threw
	 * @param shared whether several messages failed of it together. Nobody knows which of
	 * them is to blame, so none is set aside: each is tried again, and then alone. The
	 * log tells of such a failure already
	 */
	Decision decide(DeliveryTask task, Throwable failure, boolean shared) {
		if (failure instanceof DeferException defer) {
			return defer(task, defer);
		}
		int failures = task.failures().failures() + 1;
		FailureReason reason = reason(failure, shared);
		boolean unreadable = reason == FailureReason.UNREADABLE;
		int most = switch (reason) {
			case UNREADABLE -> this.retry.unreadableAttempts();
			case NEVER_RETRIED -> 1;
			default -> task.retry().maxAttempts();
		};
		if (shared || failures < most) {
			return again(task, failure, shared, reason, failures, most);
		}
		String aside = " and is set aside among the dead letters";
		if (unreadable) {
			logger.error(describe(task) + " cannot be read" + aside + ": " + failure.getMessage());
			whyUnreadable(task, failure);
		}
		else {
			logger.error(describe(task) + " failed for the last time" + aside, failure);
		}
		return new Decision(Settlement.deadLetter(task, reason.of(failure)),
				unreadable ? HandlerOutcome.UNREADABLE : HandlerOutcome.FAILURE);
	}

	private FailureReason reason(Throwable failure, boolean shared) {
		if (failure instanceof UnreadableMessageException) {
			return FailureReason.UNREADABLE;
		}
		if (failure instanceof HandlerTimeoutException) {
			return FailureReason.TIMED_OUT;
		}
		return (!shared && this.retry.isNeverRetried(failure)) ? FailureReason.NEVER_RETRIED
				: FailureReason.HANDLER_FAILED;
	}

	private Decision again(DeliveryTask task, Throwable failure, boolean shared, FailureReason reason, int failures,
			int most) {
		Duration wait = bounded((failure instanceof RetryAfterException named) ? named.delay()
				: task.retry().backOff().waitAfter(failures));
		String said = describe(task) + " failed (" + failures + " of " + most + " attempts) and is tried again "
				+ (shared ? "alone " : "") + "in " + wait.toMillis() + " ms";
		if (reason == FailureReason.UNREADABLE) {
			logger.warn(said + ": " + failure.getMessage());
			whyUnreadable(task, failure);
		}
		else if ((failures == 1 || reason == FailureReason.TIMED_OUT) && !shared) {
			logger.warn(said, failure);
		}
		else {
			logger.warn(said + ": " + failure);
		}
		return new Decision(Settlement.retry(task, wait, reason.of(failure)), HandlerOutcome.RETRY);
	}

	private Decision defer(DeliveryTask task, DeferException defer) {
		if (task.failures().defers() < this.retry.maxDefers()) {
			return new Decision(Settlement.defer(task, bounded(defer.delay())), HandlerOutcome.DEFER);
		}
		logger.error(describe(task) + " was deferred " + this.retry.maxDefers()
				+ " times (max-defers) and is set aside among the dead letters");
		return new Decision(
				Settlement.deadLetter(task,
						FailureReason.DEFERRED_TOO_OFTEN
							.because("deferred " + this.retry.maxDefers() + " times (max-defers)")),
				HandlerOutcome.FAILURE);
	}

	private Duration bounded(Duration wait) {
		return (wait.compareTo(this.maxDelay) > 0) ? this.maxDelay : wait;
	}

	/** The causes quote what stands in the payload, which may be confidential. */
	private static void whyUnreadable(DeliveryTask task, Throwable failure) {
		logger.debug("Why " + describe(task) + " cannot be read", failure);
	}

	private static String describe(DeliveryTask task) {
		return "Message '" + task.id() + "' of queue '" + task.queue() + "'";
	}

}
