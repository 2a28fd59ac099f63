package io.delayqueue.observe;

import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.delayqueue.observe.DelayQueueObservation.LowCardinalityKey;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Default convention for the observation of a call that schedules. An
 * {@code ObservationConvention} of the application replaces it.
 */
final class SchedulingConvention implements ObservationConvention<SchedulingContext> {

	private static final String OPERATION = "schedule";

	private static final KeyValues ALWAYS = KeyValues.of(LowCardinalityKey.SYSTEM.withValue("delayqueue"),
			LowCardinalityKey.OPERATION.withValue(OPERATION), LowCardinalityKey.OPERATION_TYPE.withValue("send"));

	@Override
	public String getName() {
		return DelayQueueObservation.SCHEDULE.observationName();
	}

	@Override
	public String getContextualName(SchedulingContext context) {
		return (context.queue() != null) ? OPERATION + " " + context.queue() : OPERATION;
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(SchedulingContext context) {
		String queue = (context.queue() != null) ? context.queue() : KeyValue.NONE_VALUE;
		return ALWAYS.and(LowCardinalityKey.DESTINATION.withValue(queue),
				LowCardinalityKey.OUTCOME.withValue(context.outcome()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(SchedulingContext context) {
		return (context.messages() > 1)
				? KeyValues.of(HighCardinalityKey.BATCH_SIZE.withValue(Integer.toString(context.messages())))
				: KeyValues.empty();
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof SchedulingContext;
	}

}
