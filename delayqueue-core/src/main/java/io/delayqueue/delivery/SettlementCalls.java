package io.delayqueue.delivery;

import java.util.List;

import io.delayqueue.delivery.Settlement.Kind;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Due;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ReadyMessages.Acknowledgement;
import io.delayqueue.store.ReadyMessages.Death;
import io.delayqueue.store.ReadyMessages.Release;
import io.delayqueue.store.ReadyMessages.Retried;
import io.delayqueue.store.ReadyMessages.Retry;
import io.delayqueue.store.ReadyMessages.Settled;
import org.jspecify.annotations.Nullable;

/**
 * The calls to Redis that settle deliveries of one partition.
 *
 * @param partition the partition
 * @param settings the settings of the queue
 * @param ready the consumer's side of Redis
 * @param listener is notified of messages that are due again
 */
record SettlementCalls(Partition partition, QueueSettings settings, ReadyMessages ready, SettlementListener listener) {

	/**
	 * Settles deliveries in one way.
	 * @return the answer to each
	 */
	List<Settled> settle(Kind kind, List<Settlement> batch) {
		return switch (kind) {
			case ACKNOWLEDGE,
					DROP ->
				settled(this.ready.acknowledge(this.partition, this.settings.doneWindowOfGenerated(),
						batch.stream()
							.map(Settlement::task)
							.map((task) -> new Acknowledgement(task.entry(), task.id(), task.token(),
									this.settings.doneWindowOf(task.id())))
							.toList()));
			case RELEASE -> release(batch);
			case RETRY -> batch.stream().map((settlement) -> retry(settlement)).toList();
			case DEAD_LETTER -> batch.stream()
				.map((settlement) -> settled(this.ready.deadLetter(this.partition, settlement.task().entry(),
						settlement.task().id(), death(settlement.reason())))
					.get(0))
				.toList();
		};
	}

	private Death death(@Nullable FailureNote reason) {
		return new Death(String.valueOf(text(reason)), reason == null || reason.reason() != FailureReason.EXPIRED,
				this.settings.groups().countDead());
	}

	/** Messages that were parked are scheduled again, and due. */
	private List<Settled> settled(ReadyMessages.Settlements settlements) {
		if (settlements.unparked() > 0) {
			this.listener.newHead(this.partition, 0);
		}
		return settlements.each();
	}

	private List<Settled> release(List<Settlement> batch) {
		List<Settled> settled = this.ready.release(this.partition,
				batch.stream().map(SettlementCalls::release).toList());
		this.listener.givenBack(this.partition);
		return settled;
	}

	private static Release release(Settlement settlement) {
		DeliveryTask task = settlement.task();
		return settlement.waiting().isZero() ? new Release(task.entry(), task.id(), task.dueMillis())
				: new Release(task.entry(), task.id(), task.dueAfter(settlement.waiting()), true);
	}

	private Settled retry(Settlement settlement) {
		DeliveryTask task = settlement.task();
		Retried retried = this.ready.retry(this.partition, task.entry(), task.id(),
				new Retry(settlement.waiting(), text(settlement.reason()), isStrict(task.group()), task.hasExpired()));
		if (retried.unparked() > 0) {
			this.listener.newHead(this.partition, 0);
		}
		else if (retried.newHead()) {
			this.listener.newHead(this.partition, Due.leftNanos(retried.dueMillis(), retried.nowMicros()));
		}
		return retried.settled();
	}

	private boolean isStrict(@Nullable String group) {
		return group != null && this.settings.groups().isStrict(group);
	}

	private static @Nullable String text(@Nullable FailureNote reason) {
		return (reason != null) ? reason.text() : null;
	}

}
