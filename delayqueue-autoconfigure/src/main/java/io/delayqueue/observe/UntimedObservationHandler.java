package io.delayqueue.observe;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Takes the place of the handler that would keep timers of the observations of this
 * library: {@link DelayQueueMeters} has these already.
 */
public final class UntimedObservationHandler implements MeterObservationHandler<Observation.Context> {

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof SchedulingContext || context instanceof ProcessingContext;
	}

}
