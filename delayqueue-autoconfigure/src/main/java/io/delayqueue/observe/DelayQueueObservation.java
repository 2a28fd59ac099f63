package io.delayqueue.observe;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * All observations of this library, and what each tells. They are made while tracing is
 * on. The names of keys are those of OpenTelemetry's conventions for messaging, where
 * these have one.
 */
public enum DelayQueueObservation implements ObservationDocumentation {

	/** A call that schedules one message or several. */
	SCHEDULE("delayqueue.schedule") {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return SchedulingConvention.class;
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return new KeyName[] { HighCardinalityKey.MESSAGE_ID, HighCardinalityKey.BATCH_SIZE };
		}

	},

	/** A call of a handler with one message or a batch. */
	PROCESS("delayqueue.process") {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return ProcessingConvention.class;
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinalityKey.values();
		}

	};

	private final String observationName;

	DelayQueueObservation(String observationName) {
		this.observationName = observationName;
	}

	/** The name of the observation, not of the span. */
	String observationName() {
		return this.observationName;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinalityKey.values();
	}

	@Override
	public String getPrefix() {
		return "";
	}

	/** What has few values. */
	public enum LowCardinalityKey implements KeyName {

		/** Always {@code delayqueue}. */
		SYSTEM("messaging.system"),

		/** The queue; {@code none} if the messages of a call go to several. */
		DESTINATION("messaging.destination.name"),

		/** What is done: {@code schedule} or {@code process}. */
		OPERATION("messaging.operation.name"),

		/** The kind of that: {@code send} or {@code process}. */
		OPERATION_TYPE("messaging.operation.type"),

		/**
		 * What became of the message: the values of the tag {@code outcome} of the meters
		 * {@code delayqueue.scheduled} and {@code delayqueue.handled}; {@code mixed} if
		 * it differs from message to message, {@code none} if it is not known.
		 */
		OUTCOME("delayqueue.outcome");

		private final String key;

		LowCardinalityKey(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

	}

	/** What may have any number of values. */
	public enum HighCardinalityKey implements KeyName {

		/** The message's id; absent where there are several. */
		MESSAGE_ID("messaging.message.id"),

		/** How many messages there are; absent where they come one by one. */
		BATCH_SIZE("messaging.batch.message_count"),

		/** The number of the attempt, 1 for the first one; absent for a batch. */
		ATTEMPT("delayqueue.attempt");

		private final String key;

		HighCardinalityKey(String key) {
			this.key = key;
		}

		@Override
		public String asString() {
			return this.key;
		}

		@Override
		public boolean isRequired() {
			return false;
		}

	}

}
