package io.delayqueue.delivery;

import io.delayqueue.event.MessageExpiredEvent.Outcome;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages.Settled;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Publishes and counts how deliveries of a consumer have ended, and wakes the components
 * that wait for it. Safe for use by several threads.
 */
final class SettlementListener {

	private static final Log logger = LogFactory.getLog(SettlementListener.class);

	private final ConsumerState state;

	private final ConsumerTools tools;

	SettlementListener(ConsumerState state, ConsumerTools tools) {
		this.state = state;
		this.tools = tools;
	}

	/** Redis has answered a settlement. */
	void settled(Settlement settlement, Settled settled) {
		if (this.state.settled(settlement.task())) {
			// Perhaps too many refused settlements have kept the partition from being
			// read
			this.tools.signals().ready(this.state.queue(), settlement.task().partition().number());
		}
		if (settled == Settled.SUPERSEDED) {
			this.tools.observer().superseded(this.state.queue());
		}
		if (settlement.kind() == Settlement.Kind.RELEASE) {
			this.tools.observer().released(this.state.queue(), 1);
		}
		if (settled == Settled.COUNTED && settlement.task().hasExpired()) {
			expired(settlement);
		}
		FailureNote reason = settlement.reason();
		if (settlement.kind() == Settlement.Kind.DEAD_LETTER && settled == Settled.COUNTED && reason != null) {
			this.tools.observer()
				.deadLettered(this.state.queue(), settlement.task().id(), reason.reason().name(), reason.exception(),
						reason.message());
		}
	}

	private void expired(Settlement settlement) {
		Outcome outcome = switch (settlement.kind()) {
			case DROP -> Outcome.DROPPED;
			case DEAD_LETTER -> Outcome.DEAD_LETTERED;
			case ACKNOWLEDGE -> Outcome.HANDED_OVER;
			case RELEASE, RETRY -> null;
		};
		if (outcome != null) {
			this.tools.observer().expired(this.state.queue(), settlement.task().id(), outcome);
		}
	}

	/**
	 * Messages that no handler has begun were given back. A process that ends sweeps no
	 * more, so it notifies the sweepers of other processes.
	 */
	void givenBack(Partition partition) {
		if (this.state.isClosing()) {
			this.tools.hints().publish(partition);
		}
	}

	/** A message that was put back is now the first one due. */
	void newHead(Partition partition, long inNanos) {
		this.tools.signals().due(partition.queue(), partition.number(), inNanos);
	}

	/** The lease of a delivery is lost. */
	void lost(DeliveryTask task) {
		if (!task.isSettling() && task.loseLease()) {
			this.tools.observer().leaseLost(this.state.queue(), task.id());
			logger.warn("The lease of message '" + task.id() + "' of queue '" + this.state.queue()
					+ "' is lost: it is delivered again, and what its handler returns does not count");
		}
	}

	/** Messages that were read without a reply have been given back. */
	void givenBack(Partition partition, int messages) {
		this.tools.observer().released(this.state.queue(), messages);
		this.tools.signals().due(partition.queue(), partition.number(), 0);
	}

}
