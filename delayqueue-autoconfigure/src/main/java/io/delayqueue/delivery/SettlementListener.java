package io.delayqueue.delivery;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import io.delayqueue.MessageExpiredEvent.Outcome;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * What follows when a delivery of a consumer is settled, or refused for the layout of its
 * partition, or its lease is lost: places become free, and others are told. Safe for use
 * by several threads.
 */
final class SettlementListener implements SettlementWriter.Settlements, LeaseRenewer.LostLeases {

	private static final Log logger = LogFactory.getLog(SettlementListener.class);

	private final String queue;

	private final ConsumerTools tools;

	private final Permits permits;

	private final InFlight inFlight;

	private final BooleanSupplier closing;

	private final Consumer<DeliveryTask> onThrough;

	/**
	 * Creates it.
	 * @param onThrough told of each delivery once, when it is settled or will perhaps
	 * never be
	 */
	SettlementListener(String queue, ConsumerTools tools, Permits permits, InFlight inFlight, BooleanSupplier closing,
			Consumer<DeliveryTask> onThrough) {
		this.queue = queue;
		this.tools = tools;
		this.permits = permits;
		this.inFlight = inFlight;
		this.closing = closing;
		this.onThrough = onThrough;
	}

	@Override
	public void settled(Settlement settlement, Settled settled) {
		this.inFlight.remove(settlement.task());
		if (!settlement.task().isStranded()) {
			isThrough(settlement.task());
		}
		else {
			// Perhaps its partition was not read because so many could not be settled
			this.tools.signals().ready(this.queue, settlement.task().partition().number());
		}
		if (settled == Settled.SUPERSEDED) {
			this.tools.observer().superseded(this.queue);
		}
		if (settlement.kind() == Settlement.Kind.RELEASE) {
			this.tools.observer().released(this.queue, 1);
		}
		if (settled == Settled.COUNTED && settlement.task().hasExpired()) {
			expired(settlement);
		}
		FailureNote reason = settlement.reason();
		if (settlement.kind() == Settlement.Kind.DEAD_LETTER && settled == Settled.COUNTED && reason != null) {
			this.tools.observer()
				.deadLettered(this.queue, settlement.task().id(), reason.reason().name(), reason.exception(),
						reason.message());
		}
	}

	/**
	 * Other messages may have the permit, and a stop does not wait. The lease is kept all
	 * the same.
	 */
	@Override
	public void refused(Settlement settlement) {
		settlement.task().strand();
		isThrough(settlement.task());
	}

	private void isThrough(DeliveryTask task) {
		if (task.hasReturnedPermit()) {
			this.permits.ended(1);
		}
		else {
			this.permits.giveBack(1);
		}
		this.onThrough.accept(task);
	}

	private void expired(Settlement settlement) {
		Outcome outcome = switch (settlement.kind()) {
			case DROP -> Outcome.DROPPED;
			case DEAD_LETTER -> Outcome.DEAD_LETTERED;
			case ACKNOWLEDGE -> Outcome.HANDED_OVER;
			case RELEASE, RETRY -> null;
		};
		if (outcome != null) {
			this.tools.observer().expired(this.queue, settlement.task().id(), outcome);
		}
	}

	/** A process that ends does not sweep any more: others have to know at once. */
	@Override
	public void givenBack(Partition partition) {
		if (this.closing.getAsBoolean()) {
			try {
				this.tools.hints().publish(partition);
			}
			catch (StoreException failure) {
				logger.debug("No hint about partition " + partition + "; its sweepers will look by themselves",
						failure);
			}
		}
	}

	@Override
	public void newHead(Partition partition, long inNanos) {
		this.tools.signals().due(partition.queue(), partition.number(), inNanos);
	}

	@Override
	public void lost(DeliveryTask task) {
		if (!task.isSettling() && task.loseLease()) {
			this.tools.observer().leaseLost(this.queue, task.id());
			logger.warn("The lease of message '" + task.id() + "' of queue '" + this.queue
					+ "' is lost: it is delivered again, and what its handler returns does not count");
		}
	}

	@Override
	public void givenBack(Partition partition, int messages) {
		this.tools.observer().released(this.queue, messages);
		this.tools.signals().due(partition.queue(), partition.number(), 0);
	}

}
