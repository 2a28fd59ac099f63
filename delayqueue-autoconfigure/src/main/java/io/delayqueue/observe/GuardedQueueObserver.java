package io.delayqueue.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.CancelResult;
import io.delayqueue.ScheduleResult;
import io.delayqueue.store.Repairs.Damage;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The one guard between the actors and whoever observes them: what the observer throws
 * ends here, and the message goes its way. The first failure is logged as a warning, the
 * rest for debugging only. Safe for use by several threads if the observer is.
 */
public final class GuardedQueueObserver implements QueueObserver {

	private static final Log logger = LogFactory.getLog(GuardedQueueObserver.class);

	private final QueueObserver observer;

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Creates a guard.
	 * @param observer whose failures end here
	 */
	public GuardedQueueObserver(QueueObserver observer) {
		this.observer = observer;
	}

	@Override
	public void scheduled(String queue, ScheduleResult.Outcome outcome) {
		tell(queue, () -> this.observer.scheduled(queue, outcome));
	}

	@Override
	public void notScheduled(String queue, boolean unknown) {
		tell(queue, () -> this.observer.notScheduled(queue, unknown));
	}

	@Override
	public void cancelled(String queue, CancelResult result) {
		tell(queue, () -> this.observer.cancelled(queue, result));
	}

	@Override
	public void swept(String queue, int messages) {
		tell(queue, () -> this.observer.swept(queue, messages));
	}

	@Override
	public void delivered(String queue, Duration lateness) {
		tell(queue, () -> this.observer.delivered(queue, lateness));
	}

	@Override
	public void handled(String queue, HandlerOutcome outcome, Duration took) {
		tell(queue, () -> this.observer.handled(queue, outcome, took));
	}

	@Override
	public void superseded(String queue) {
		tell(queue, () -> this.observer.superseded(queue));
	}

	@Override
	public void released(String queue, int messages) {
		tell(queue, () -> this.observer.released(queue, messages));
	}

	@Override
	public void reclaimed(String queue, boolean dead) {
		tell(queue, () -> this.observer.reclaimed(queue, dead));
	}

	@Override
	public void leaseLost(String queue) {
		tell(queue, () -> this.observer.leaseLost(queue));
	}

	@Override
	public void repaired(String queue, Damage damage, int messages) {
		tell(queue, () -> this.observer.repaired(queue, damage, messages));
	}

	private void tell(String queue, Runnable event) {
		try {
			event.run();
		}
		catch (RuntimeException | LinkageError failure) {
			if (this.warned.compareAndSet(false, true)) {
				logger.warn(
						"An event of queue '" + queue + "' could not be observed: counts will be too low. Messages"
								+ " are delivered all the same; more failures like this are logged at debug level",
						failure);
			}
			else {
				logger.debug("An event of queue '" + queue + "' could not be observed", failure);
			}
		}
	}

}
