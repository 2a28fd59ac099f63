package io.delayqueue.delivery;

import java.util.List;

import io.delayqueue.event.MessageExpiredEvent.Outcome;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Leases.Reclaimed;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.StoredId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counts, logs and publishes how deliveries have ended. Wakes readers when they may read
 * again, and sweepers when messages have become due. Safe for use by several threads.
 */
record SettlementListener(ConsumerState state, Signals signals, Wakeups wakeups, QueueObserver observer) {

	private static final Log logger = LogFactory.getLog(SettlementListener.class);

	/** Counts and publishes a settlement to which Redis has replied. */
	void settled(Settlement settlement, Settled settled) {
		if (this.state.settled(settlement.task())) {
			// A reader stops while Redis refuses too many settlements of its partition;
			// now it may continue
			this.signals.consumer(this.state.queue()).ready(settlement.task().partition());
		}
		if (settled == Settled.SUPERSEDED) {
			this.observer.superseded(this.state.queue());
		}
		if (settlement.kind() == Settlement.Kind.RELEASE) {
			this.observer.released(this.state.queue(), 1);
		}
		if (settled == Settled.COUNTED && settlement.task().hasExpired()) {
			expired(settlement);
		}
		FailureNote reason = settlement.reason();
		if (settlement.kind() == Settlement.Kind.DEAD_LETTER && settled == Settled.COUNTED && reason != null) {
			deadLettered(settlement.task().storedId(), reason);
		}
	}

	private void expired(Settlement settlement) {
		Outcome outcome = switch (settlement.kind()) {
			case EXPIRE -> Outcome.DROPPED;
			case DEAD_LETTER -> Outcome.DEAD_LETTERED;
			case ACKNOWLEDGE -> Outcome.HANDED_OVER;
			case RELEASE, RETRY -> null;
		};
		if (outcome != null) {
			this.observer.expired(this.state.queue(), settlement.task().storedId(), outcome);
		}
	}

	/**
	 * If this consumer is closing, notifies the process that sweeps the partition,
	 * because released messages are due there.
	 */
	void givenBack(Partition partition) {
		if (this.state.isClosing()) {
			newHead(partition, 0);
		}
	}

	/**
	 * Requests a sweep of the partition in {@code inNanos} ns, when its next message is
	 * due.
	 */
	void newHead(Partition partition, long inNanos) {
		this.wakeups.due(partition, inNanos);
	}

	/** Marks the lease of a delivery as lost, and counts and logs the loss. */
	void lost(DeliveryTask task) {
		if (!task.isSettling() && task.loseLease()) {
			this.observer.leaseLost(this.state.queue(), task.storedId());
			logger.warn("The lease of message " + task.storedId() + " of queue '" + this.state.queue()
					+ "' is lost: the message is delivered again, and the result of this handler does not count");
		}
	}

	/**
	 * Called when a lease renewal finds that the message of a delivery was cancelled or
	 * purged. Signals this to the consumer of the queue.
	 */
	void cancelled(DeliveryTask task) {
		if (!task.isSettling()) {
			this.signals.consumer(this.state.queue()).removed(task.partition(), task.entry(), false);
		}
	}

	/**
	 * Counts and logs messages that were taken back from consumers that had stopped
	 * renewing their leases, and notifies the process that sweeps the partition.
	 */
	void reclaimed(Partition partition, List<Reclaimed> messages, FailureNote crashed) {
		for (Reclaimed message : messages) {
			this.observer.reclaimed(this.state.queue(), message.dead());
			String what = "Message " + message.storedId() + " of queue '" + this.state.queue()
					+ "' was taken back from a silent consumer (" + message.crashes() + " of "
					+ this.state.settings().retry().maxCrashes() + " crashes)";
			if (message.dead()) {
				logger.error(what + " and is dead-lettered");
				deadLettered(message.storedId(), crashed);
			}
			else {
				logger.warn(what + " and is delivered again");
			}
		}
		if (!messages.isEmpty()) {
			newHead(partition, 0);
		}
	}

	private void deadLettered(StoredId id, FailureNote note) {
		this.observer.deadLettered(this.state.queue(), id, note.reason().name(), note.exception(), note.message());
	}

	/**
	 * Counts messages that were released because the reply of their read was lost, and
	 * notifies the process that sweeps the partition.
	 */
	void givenBack(Partition partition, int messages) {
		this.observer.released(this.state.queue(), messages);
		newHead(partition, 0);
	}

}
