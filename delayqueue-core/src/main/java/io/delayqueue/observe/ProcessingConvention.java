package io.delayqueue.observe;

import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.delayqueue.observe.DelayQueueObservation.LowCardinalityKey;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Default convention for the observation of a handler call. An
 * {@code ObservationConvention} of the application replaces it.
 */
final class ProcessingConvention implements ObservationConvention<ProcessingContext> {

	private static final String OPERATION = "process";

	private static final KeyValues ALWAYS = KeyValues.of(LowCardinalityKey.SYSTEM.withValue("delayqueue"),
			LowCardinalityKey.OPERATION.withValue(OPERATION), LowCardinalityKey.OPERATION_TYPE.withValue(OPERATION));

	@Override
	public String getName() {
		return DelayQueueObservation.PROCESS.observationName();
	}

	@Override
	public String getContextualName(ProcessingContext context) {
		return OPERATION + " " + context.queue();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(ProcessingContext context) {
		return ALWAYS.and(LowCardinalityKey.DESTINATION.withValue(context.queue()),
				LowCardinalityKey.OUTCOME.withValue(context.outcome()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(ProcessingContext context) {
		if (context.isBatch()) {
			return KeyValues.of(HighCardinalityKey.BATCH_SIZE.withValue(Integer.toString(context.size())));
		}
		return KeyValues.of(HighCardinalityKey.MESSAGE_ID.withValue(context.messages().get(0).id()),
				HighCardinalityKey.ATTEMPT.withValue(Integer.toString(context.attempt())));
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof ProcessingContext;
	}

}
