package io.delayqueue.observe;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Takes the observations of this library from Micrometer's handler, which would record
 * timers for them, because {@link DelayQueueMeters} already measures the same durations.
 */
public final class UntimedObservationHandler implements MeterObservationHandler<Observation.Context> {

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof SchedulingContext || context instanceof ProcessingContext;
	}

}
