package io.delayqueue.observe;

import java.util.List;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * All observations (Micrometer) of this library, which are created while tracing is
 * enabled. The names of keys follow the OpenTelemetry semantic conventions for messaging
 * if these conventions define such a key.
 */
@SuppressWarnings("ImmutableEnumChecker") // the lists of keys cannot be changed
public enum DelayQueueObservation implements ObservationDocumentation {

	/** A call that schedules one or more messages. */
	SCHEDULE("delayqueue.schedule", SchedulingContext.Convention.class, HighCardinalityKey.MESSAGE_ID,
			HighCardinalityKey.BATCH_SIZE),

	/** A call of a handler with one message or with a batch of messages. */
	PROCESS("delayqueue.process", ProcessingContext.Convention.class, HighCardinalityKey.values());

	private final String observationName;

	private final Class<? extends ObservationConvention<? extends Observation.Context>> convention;

	private final List<KeyName> highCardinalityKeys;

	DelayQueueObservation(String observationName,
			Class<? extends ObservationConvention<? extends Observation.Context>> convention,
			KeyName... highCardinalityKeys) {
		this.observationName = observationName;
		this.convention = convention;
		this.highCardinalityKeys = List.of(highCardinalityKeys);
	}

	/** Returns the name of the observation, which is not the name of its span. */
	String observationName() {
		return this.observationName;
	}

	@Override
	public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
		return this.convention;
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return this.highCardinalityKeys.toArray(KeyName[]::new);
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinalityKey.values();
	}

	@Override
	public String getPrefix() {
		return "";
	}

	/** Keys of an observation that have few different values. */
	public enum LowCardinalityKey implements KeyName {

		/** Name of the messaging system: always {@code delayqueue}. */
		SYSTEM("messaging.system"),

		/**
		 * Name of the queue; {@code none} if the messages of one call go to several
		 * queues.
		 */
		DESTINATION("messaging.destination.name"),

		/** Name of the operation: {@code schedule} or {@code process}. */
		OPERATION("messaging.operation.name"),

		/** Type of the operation: {@code send} or {@code process}. */
		OPERATION_TYPE("messaging.operation.type"),

		/**
		 * Outcome of the call for the message: a value of the tag {@code outcome} of the
		 * meter {@code delayqueue.scheduled} or {@code delayqueue.handled}; {@code mixed}
		 * if the outcomes of several messages differ, {@code none} if the outcome is
		 * unknown.
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

	/** Keys of an observation that have an unbounded number of values. */
	public enum HighCardinalityKey implements KeyName {

		/** Id of the message; absent if the call has several messages. */
		MESSAGE_ID("messaging.message.id"),

		/**
		 * Number of messages of the call; absent for a single message outside a batch.
		 */
		BATCH_SIZE("messaging.batch.message_count"),

		/**
		 * Number of the attempt to handle the message, starting at 1; absent for a batch.
		 */
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
