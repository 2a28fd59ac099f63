package io.delayqueue.observe;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Replaces the handler that would record timers for the observations of this library:
 * {@link DelayQueueMeters} already measures the same durations.
 */
public final class UntimedObservationHandler implements MeterObservationHandler<Observation.Context> {

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof SchedulingContext || context instanceof ProcessingContext;
	}

}
