package io.delayqueue.observe;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Handles the observations of this library in place of Micrometer's default handler,
 * which would record a timer for each observation: {@link DelayQueueMeters} already
 * measures the same durations.
 */
public final class UntimedObservationHandler
		implements MeterObservationHandler<Observation.Context>, AopInfrastructureBean {

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof SchedulingContext || context instanceof ProcessingContext;
	}

}
