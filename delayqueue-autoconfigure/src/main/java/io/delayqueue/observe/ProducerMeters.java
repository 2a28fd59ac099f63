package io.delayqueue.observe;

import io.delayqueue.CancelResult;
import io.delayqueue.ScheduleResult;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * The meters of one queue in a process that schedules to it.
 */
final class ProducerMeters {

	private final MeterPerConstant<ScheduleResult.Outcome, Counter> scheduled;

	private final Counter rejected;

	private final Counter unknown;

	private final MeterPerConstant<CancelResult, Counter> cancelled;

	ProducerMeters(MeterRegistry registry, String queue) {
		this.scheduled = new MeterPerConstant<>(ScheduleResult.Outcome.class,
				(outcome) -> DelayQueueMeters.SCHEDULED.counter(registry, queue, outcome));
		this.rejected = DelayQueueMeters.SCHEDULED.counter(registry, queue, "rejected");
		this.unknown = DelayQueueMeters.SCHEDULED.counter(registry, queue, "unknown");
		this.cancelled = new MeterPerConstant<>(CancelResult.class,
				(result) -> DelayQueueMeters.CANCELLED.counter(registry, queue, result));
	}

	Counter scheduled(ScheduleResult.Outcome outcome) {
		return this.scheduled.of(outcome);
	}

	Counter notScheduled(boolean mayBeStored) {
		return mayBeStored ? this.unknown : this.rejected;
	}

	Counter cancelled(CancelResult result) {
		return this.cancelled.of(result);
	}

}
