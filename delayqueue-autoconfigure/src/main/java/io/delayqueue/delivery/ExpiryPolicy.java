package io.delayqueue.delivery;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.queue.ExpirySettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of messages that had expired when their attempt was to begin: they are
 * handed to the handler that takes them, with all rules of an ordinary one, or dropped,
 * or set aside. Safe for use by several threads.
 */
final class ExpiryPolicy {

	private static final Log logger = LogFactory.getLog(ExpiryPolicy.class);

	private final ExpirySettings settings;

	private final @Nullable HandlerInvoker invoker;

	/**
	 * Creates the rule.
	 * @param settings what becomes of what no handler takes
	 * @param invoker runs the handler that takes them, {@code null} if there is none
	 */
	ExpiryPolicy(ExpirySettings settings, @Nullable HandlerInvoker invoker) {
		this.settings = settings;
		this.invoker = invoker;
	}

	/** Whether a handler takes them. */
	boolean isHandled() {
		return this.invoker != null;
	}

	/**
	 * Deals with a message.
	 * @param task the delivery
	 * @param end is given its settlement: perhaps later, and by another thread
	 */
	void run(DeliveryTask task, Consumer<Settlement> end) {
		if (this.invoker != null) {
			this.invoker.run(List.of(task), end);
		}
		else {
			LogContext.during(task, () -> end.accept(settlement(task)));
		}
	}

	private Settlement settlement(DeliveryTask task) {
		String said = "Message '" + task.id() + "' of queue '" + task.queue() + "' has expired at "
				+ Instant.ofEpochMilli(task.expiryMillis());
		if (this.settings.drop()) {
			logger.debug(said + " and is dropped");
			return Settlement.drop(task);
		}
		logger.warn(said + " and is set aside among the dead letters");
		return Settlement.deadLetter(task, FailureReason.EXPIRED.because("expired at "
				+ Instant.ofEpochMilli(task.expiryMillis()) + ", when attempt " + task.attempt() + " had not begun"));
	}

}
