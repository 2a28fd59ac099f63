package io.delayqueue.observe;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.delayqueue.observe.DelayQueueObservation.LowCardinalityKey;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of a call that schedules messages. The carrier of this
 * context collects the headers that are written into each message of the call.
 */
public final class SchedulingContext extends SenderContext<Map<String, String>> {

	static final Convention CONVENTION = new Convention();

	/**
	 * The longest header value that tracing writes into a message; headers that a caller
	 * sets have the same limit.
	 */
	private static final int MOST_CHARACTERS = 8192;

	private final @Nullable String queue;

	private final int messages;

	private final Map<String, String> headers = new LinkedHashMap<>();

	private final MessageSpan.Outcomes outcomes = new MessageSpan.Outcomes();

	SchedulingContext(@Nullable String queue, int messages) {
		super((headers, name, value) -> {
			if (headers != null && value.length() <= MOST_CHARACTERS) {
				headers.put(name, value);
			}
		}, Kind.PRODUCER);
		this.queue = queue;
		this.messages = messages;
		setCarrier(this.headers);
	}

	/**
	 * Returns the queue of the messages.
	 * @return the queue's name, {@code null} if the messages go to several queues
	 */
	public @Nullable String queue() {
		return this.queue;
	}

	/**
	 * Returns the number of messages that the call schedules.
	 * @return 1 or more
	 */
	public int messages() {
		return this.messages;
	}

	/**
	 * Returns the outcome for the messages, as in the meter {@code delayqueue.scheduled}.
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
	 * Returns the headers that the application's propagator has written, and also
	 * {@code traceparent} if the propagator does not write this header.
	 * {@link ProcessingTracingHandler} finds the span by {@code traceparent}, even in a
	 * process with a different propagator.
	 */
	Map<String, String> propagated() {
		if (!this.headers.isEmpty() && !this.headers.containsKey(TraceParent.NAME)) {
			TraceParent parent = TraceParent.of(this);
			if (parent != null) {
				this.headers.put(TraceParent.NAME, parent.toString());
			}
		}
		return Collections.unmodifiableMap(this.headers);
	}

	/**
	 * The default convention, which an {@code ObservationConvention} of the application
	 * replaces.
	 */
	static final class Convention implements ObservationConvention<SchedulingContext> {

		private static final String OPERATION = "schedule";

		private static final KeyValues ALWAYS = KeyValues.of(LowCardinalityKey.SYSTEM.withValue("delayqueue"),
				LowCardinalityKey.OPERATION.withValue(OPERATION), LowCardinalityKey.OPERATION_TYPE.withValue("send"));

		@Override
		public String getName() {
			return DelayQueueObservation.SCHEDULE.observationName();
		}

		@Override
		public String getContextualName(SchedulingContext context) {
			return (context.queue != null) ? OPERATION + " " + context.queue : OPERATION;
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(SchedulingContext context) {
			String queue = (context.queue != null) ? context.queue : KeyValue.NONE_VALUE;
			return ALWAYS.and(LowCardinalityKey.DESTINATION.withValue(queue),
					LowCardinalityKey.OUTCOME.withValue(context.outcome()));
		}

		@Override
		public KeyValues getHighCardinalityKeyValues(SchedulingContext context) {
			return (context.messages > 1)
					? KeyValues.of(HighCardinalityKey.BATCH_SIZE.withValue(Integer.toString(context.messages)))
					: KeyValues.empty();
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof SchedulingContext;
		}

	}

}
