package io.delayqueue.observe;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

import io.delayqueue.CancelResult;
import io.delayqueue.ScheduleResult;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.StoredId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notifies all observers of a process one after the other, and catches the exceptions of
 * each observer: an exception affects neither the other observers nor the message. The
 * first exception of each observer is logged as a warning, later exceptions at debug
 * level. Safe for use by several threads if the observers are safe for such use.
 */
public final class QueueObservers implements QueueObserver {

	private static final Log logger = LogFactory.getLog(QueueObservers.class);

	private final List<Guarded> observers;

	/**
	 * Wraps each observer in code that catches its exceptions.
	 * @param observers the observers, in the order of notification
	 */
	public QueueObservers(Collection<? extends QueueObserver> observers) {
		this.observers = observers.stream().map(Guarded::new).toList();
	}

	@Override
	public void scheduled(String queue, ScheduleResult.Outcome outcome) {
		notify(queue, (observer) -> observer.scheduled(queue, outcome));
	}

	@Override
	public void notScheduled(String queue, NotScheduled reason) {
		notify(queue, (observer) -> observer.notScheduled(queue, reason));
	}

	@Override
	public void dropped(String queue, String group, String id) {
		notify(queue, (observer) -> observer.dropped(queue, group, id));
	}

	@Override
	public void cancelled(String queue, CancelResult result) {
		notify(queue, (observer) -> observer.cancelled(queue, result));
	}

	@Override
	public void missed(String queue, String key, long instants) {
		notify(queue, (observer) -> observer.missed(queue, key, instants));
	}

	@Override
	public void skipped(String queue, String key, long instants) {
		notify(queue, (observer) -> observer.skipped(queue, key, instants));
	}

	@Override
	public void consuming(String queue, IntSupplier inFlight) {
		notify(queue, (observer) -> observer.consuming(queue, inFlight));
	}

	@Override
	public void notConsuming(String queue) {
		notify(queue, (observer) -> observer.notConsuming(queue));
	}

	@Override
	public void swept(String queue, int messages) {
		notify(queue, (observer) -> observer.swept(queue, messages));
	}

	@Override
	public void delivered(String queue, Duration lateness) {
		notify(queue, (observer) -> observer.delivered(queue, lateness));
	}

	@Override
	public void batched(String queue, int messages) {
		notify(queue, (observer) -> observer.batched(queue, messages));
	}

	@Override
	public void handled(String queue, HandlerOutcome outcome, Duration took) {
		notify(queue, (observer) -> observer.handled(queue, outcome, took));
	}

	@Override
	public void expired(String queue, StoredId id, MessageExpiredEvent.Outcome outcome) {
		notify(queue, (observer) -> observer.expired(queue, id, outcome));
	}

	@Override
	public void superseded(String queue) {
		notify(queue, (observer) -> observer.superseded(queue));
	}

	@Override
	public void released(String queue, int messages) {
		notify(queue, (observer) -> observer.released(queue, messages));
	}

	@Override
	public void reclaimed(String queue, boolean dead) {
		notify(queue, (observer) -> observer.reclaimed(queue, dead));
	}

	@Override
	public void leaseLost(String queue, StoredId id) {
		notify(queue, (observer) -> observer.leaseLost(queue, id));
	}

	@Override
	public void abandoned(String queue, int messages) {
		notify(queue, (observer) -> observer.abandoned(queue, messages));
	}

	@Override
	public void repaired(String queue, Damage damage, List<StoredId> ids) {
		notify(queue, (observer) -> observer.repaired(queue, damage, ids));
	}

	@Override
	public void deadLettered(String queue, StoredId id, String reason, @Nullable String exception, String message) {
		notify(queue, (observer) -> observer.deadLettered(queue, id, reason, exception, message));
	}

	@Override
	public void paused(String queue) {
		notify(queue, (observer) -> observer.paused(queue));
	}

	@Override
	public void resumed(String queue) {
		notify(queue, (observer) -> observer.resumed(queue));
	}

	@Override
	public void held(QueueHold hold) {
		notify(hold.queue(), (observer) -> observer.held(hold));
	}

	@Override
	public void holdEnded(String queue, @Nullable String group) {
		notify(queue, (observer) -> observer.holdEnded(queue, group));
	}

	@Override
	public void operated(DelayQueueOperatedEvent operated) {
		notify(operated.queue(), (observer) -> observer.operated(operated));
	}

	private void notify(String queue, Consumer<QueueObserver> event) {
		for (Guarded guarded : this.observers) {
			guarded.notify(queue, event);
		}
	}

	private static final class Guarded {

		private final QueueObserver observer;

		private final AtomicBoolean warned = new AtomicBoolean();

		Guarded(QueueObserver observer) {
			this.observer = observer;
		}

		void notify(String queue, Consumer<QueueObserver> event) {
			try {
				event.accept(this.observer);
			}
			catch (RuntimeException | Error failure) {
				String what = "A notification about queue '" + queue + "' failed in observer "
						+ this.observer.getClass().getName();
				if (this.warned.compareAndSet(false, true)) {
					logger.warn(what + ": its counts will be too low. Message delivery continues; further failures of"
							+ " this observer are logged at debug level", failure);
				}
				else {
					logger.debug(what, failure);
				}
			}
		}

	}

}
