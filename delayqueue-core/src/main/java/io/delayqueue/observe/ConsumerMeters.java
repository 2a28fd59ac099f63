package io.delayqueue.observe;

import java.util.function.IntSupplier;

import io.delayqueue.event.MessageExpiredEvent;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.delayqueue.store.Repairs.Damage;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * The meters of one queue in a process that consumes it.
 */
final class ConsumerMeters {

	/** Supplier for a queue that is not currently consumed. */
	static final IntSupplier NONE = () -> 0;

	private final Counter swept;

	private final Timer lateness;

	private final DistributionSummary batchSize;

	private final MeterPerConstant<HandlerOutcome, Timer> handled;

	private final MeterPerConstant<MessageExpiredEvent.Outcome, Counter> expired;

	private final Counter superseded;

	private final Counter released;

	private final Counter reclaimed;

	private final Counter buried;

	private final Counter leaseLost;

	private final Counter abandoned;

	private final MeterPerConstant<Damage, Counter> repaired;

	private volatile IntSupplier inFlight = NONE;

	ConsumerMeters(MeterRegistry registry, String queue) {
		DelayQueueMeters.IN_FLIGHT.gauge(registry, queue, () -> this.inFlight.getAsInt());
		this.swept = DelayQueueMeters.SWEPT.counter(registry, queue);
		this.lateness = DelayQueueMeters.LATENESS.timer(registry, queue);
		this.batchSize = DelayQueueMeters.BATCH_SIZE.summary(registry, queue);
		this.handled = new MeterPerConstant<>(HandlerOutcome.class,
				(outcome) -> DelayQueueMeters.HANDLED.timer(registry, queue, outcome));
		this.expired = new MeterPerConstant<>(MessageExpiredEvent.Outcome.class,
				(outcome) -> DelayQueueMeters.EXPIRED.counter(registry, queue, outcome));
		this.superseded = DelayQueueMeters.SUPERSEDED.counter(registry, queue);
		this.released = DelayQueueMeters.RELEASED.counter(registry, queue);
		this.reclaimed = DelayQueueMeters.RECLAIMED.counter(registry, queue, "scheduled");
		this.buried = DelayQueueMeters.RECLAIMED.counter(registry, queue, "dead");
		this.leaseLost = DelayQueueMeters.LEASE_LOST.counter(registry, queue);
		this.abandoned = DelayQueueMeters.ABANDONED.counter(registry, queue);
		this.repaired = new MeterPerConstant<>(Damage.class,
				(damage) -> DelayQueueMeters.REPAIRED.counter(registry, queue, damage));
	}

	void inFlight(IntSupplier inFlight) {
		this.inFlight = inFlight;
	}

	Counter swept() {
		return this.swept;
	}

	Timer lateness() {
		return this.lateness;
	}

	DistributionSummary batchSize() {
		return this.batchSize;
	}

	Timer handled(HandlerOutcome outcome) {
		return this.handled.of(outcome);
	}

	Counter expired(MessageExpiredEvent.Outcome outcome) {
		return this.expired.of(outcome);
	}

	Counter superseded() {
		return this.superseded;
	}

	Counter released() {
		return this.released;
	}

	Counter reclaimed(boolean dead) {
		return dead ? this.buried : this.reclaimed;
	}

	Counter leaseLost() {
		return this.leaseLost;
	}

	Counter abandoned() {
		return this.abandoned;
	}

	Counter repaired(Damage damage) {
		return this.repaired.of(damage);
	}

}
