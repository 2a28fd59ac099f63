package io.delayqueue.observe;

import io.delayqueue.CancelResult;
import io.delayqueue.ScheduleResult;
import io.delayqueue.observe.QueueObserver.NotScheduled;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * The meters of one queue in a process that schedules to it.
 */
final class ProducerMeters {

	private final MeterPerConstant<ScheduleResult.Outcome, Counter> scheduled;

	private final MeterPerConstant<NotScheduled, Counter> notScheduled;

	private final Counter dropped;

	private final MeterPerConstant<CancelResult, Counter> cancelled;

	ProducerMeters(MeterRegistry registry, String queue) {
		this.scheduled = new MeterPerConstant<>(ScheduleResult.Outcome.class,
				(outcome) -> DelayQueueMeters.SCHEDULED.counter(registry, queue, outcome));
		this.notScheduled = new MeterPerConstant<>(NotScheduled.class,
				(reason) -> DelayQueueMeters.SCHEDULED.counter(registry, queue, reason));
		this.dropped = DelayQueueMeters.DROPPED.counter(registry, queue);
		this.cancelled = new MeterPerConstant<>(CancelResult.class,
				(result) -> DelayQueueMeters.CANCELLED.counter(registry, queue, result));
	}

	Counter scheduled(ScheduleResult.Outcome outcome) {
		return this.scheduled.of(outcome);
	}

	Counter notScheduled(NotScheduled reason) {
		return this.notScheduled.of(reason);
	}

	Counter dropped() {
		return this.dropped;
	}

	Counter cancelled(CancelResult result) {
		return this.cancelled.of(result);
	}

}
