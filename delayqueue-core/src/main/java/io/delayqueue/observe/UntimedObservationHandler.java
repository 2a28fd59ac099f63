package io.delayqueue.observe;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Handles the observations of this library in place of Micrometer's default handler,
 * which would record a timer for each observation: {@link DelayQueueMeters} already
 * measures the same durations.
 */
public final class UntimedObservationHandler implements MeterObservationHandler<Observation.Context> {

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof SchedulingContext || context instanceof ProcessingContext;
	}

}
