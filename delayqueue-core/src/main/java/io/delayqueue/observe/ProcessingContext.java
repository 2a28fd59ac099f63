package io.delayqueue.observe;

import java.util.List;
import java.util.Map;

import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.delayqueue.observe.DelayQueueObservation.LowCardinalityKey;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Context of the observation of a handler call.
 */
public final class ProcessingContext extends Observation.Context {

	static final Convention CONVENTION = new Convention();

	private final String queue;

	private final int attempt;

	private final int size;

	private final List<TracedMessage> messages;

	private final MessageSpan.Outcomes outcomes = new MessageSpan.Outcomes();

	/**
	 * Creates the context.
	 * @param attempt the number of the attempt, 0 for a batch
	 * @param size the number of messages that the handler receives
	 * @param messages the messages to which the span is linked
	 */
	ProcessingContext(String queue, int attempt, int size, List<TracedMessage> messages) {
		this.queue = queue;
		this.attempt = attempt;
		this.size = size;
		this.messages = messages;
	}

	/**
	 * A message that the handler receives in the observed call.
	 *
	 * @param id the message's id
	 * @param headers the message's headers
	 */
	public record TracedMessage(String id, Map<String, String> headers) {
	}

	/**
	 * Returns the queue of the messages.
	 * @return the queue's name
	 */
	public String queue() {
		return this.queue;
	}

	/**
	 * Returns the number of this attempt to handle the message.
	 * @return 1 for the first attempt, 0 for a batch
	 */
	public int attempt() {
		return this.attempt;
	}

	/**
	 * Returns whether the handler receives a batch, which may consist of one message.
	 * @return {@code false} if the handler receives single messages
	 */
	public boolean isBatch() {
		return this.attempt == 0;
	}

	/**
	 * Returns the number of messages passed to the handler, including messages that
	 * cannot be read.
	 * @return 1 or more
	 */
	public int size() {
		return this.size;
	}

	/**
	 * Returns the messages that the handler receives.
	 * @return at least one message; at most the first 128 of a batch
	 */
	public List<TracedMessage> messages() {
		return this.messages;
	}

	/**
	 * Returns the outcome for the messages, as in the meter {@code delayqueue.handled}.
	 * @return {@code none} while the outcome is unknown, {@code mixed} if the outcomes
	 * differ
	 */
	public String outcome() {
		return this.outcomes.toString();
	}

	MessageSpan.Outcomes outcomes() {
		return this.outcomes;
	}

	/**
	 * The default convention, which an {@code ObservationConvention} of the application
	 * replaces.
	 */
	static final class Convention implements ObservationConvention<ProcessingContext> {

		private static final String OPERATION = "process";

		private static final KeyValues ALWAYS = KeyValues.of(LowCardinalityKey.SYSTEM.withValue("delayqueue"),
				LowCardinalityKey.OPERATION.withValue(OPERATION),
				LowCardinalityKey.OPERATION_TYPE.withValue(OPERATION));

		@Override
		public String getName() {
			return DelayQueueObservation.PROCESS.observationName();
		}

		@Override
		public String getContextualName(ProcessingContext context) {
			return OPERATION + " " + context.queue;
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(ProcessingContext context) {
			return ALWAYS.and(LowCardinalityKey.DESTINATION.withValue(context.queue),
					LowCardinalityKey.OUTCOME.withValue(context.outcome()));
		}

		@Override
		public KeyValues getHighCardinalityKeyValues(ProcessingContext context) {
			if (context.isBatch()) {
				return KeyValues.of(HighCardinalityKey.BATCH_SIZE.withValue(Integer.toString(context.size)));
			}
			return KeyValues.of(HighCardinalityKey.MESSAGE_ID.withValue(context.messages.get(0).id()),
					HighCardinalityKey.ATTEMPT.withValue(Integer.toString(context.attempt)));
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof ProcessingContext;
		}

	}

}
