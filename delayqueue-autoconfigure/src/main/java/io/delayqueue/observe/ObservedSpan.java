package io.delayqueue.observe;

import java.util.LinkedHashMap;
import java.util.Map;

import io.delayqueue.UnreadableMessageException;
import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.micrometer.observation.Observation;

/**
 * A span that is kept by an observation.
 */
final class ObservedSpan implements MessageSpan {

	/** Has nothing to do with which trace is meant. */
	private static final String BAGGAGE = "baggage";

	/** Tells more of the span that {@code traceparent} names; mostly there is nothing. */
	private static final String TRACE_STATE = "tracestate";

	private final Observation observation;

	private final Outcomes outcomes;

	private final Map<String, String> propagated;

	private boolean failed;

	private boolean ended;

	/**
	 * Creates the span.
	 * @param observation has been started
	 * @param outcomes takes what becomes of the messages
	 * @param propagated the headers by which this span is found; they do not change
	 */
	ObservedSpan(Observation observation, Outcomes outcomes, Map<String, String> propagated) {
		this.observation = observation;
		this.outcomes = outcomes;
		this.propagated = propagated;
	}

	/**
	 * Who has set one of the headers that name a span means another one: a mixture of
	 * both would name none.
	 */
	@Override
	public Map<String, String> headers(Map<String, String> own) {
		if (this.propagated.isEmpty() || own.isEmpty()) {
			return own.isEmpty() ? this.propagated : own;
		}
		boolean meansAnother = own.containsKey(TRACE_STATE)
				|| this.propagated.keySet().stream().anyMatch((name) -> !name.equals(BAGGAGE) && own.containsKey(name));
		Map<String, String> all = new LinkedHashMap<>(own);
		this.propagated.forEach((name, value) -> {
			if (!meansAnother || name.equals(BAGGAGE)) {
				all.putIfAbsent(name, value);
			}
		});
		return all;
	}

	@Override
	public void message(String id) {
		this.observation.highCardinalityKeyValue(HighCardinalityKey.MESSAGE_ID.withValue(id));
	}

	@Override
	public void outcome(Enum<?> outcome) {
		this.outcomes.add(outcome);
	}

	@Override
	public void failed(Throwable failure) {
		if (!this.failed) {
			this.failed = true;
			this.observation.error(withoutPayload(failure));
		}
	}

	/** Its causes quote what stands in the payload, and spans tell of causes. */
	private static Throwable withoutPayload(Throwable failure) {
		return (failure instanceof UnreadableMessageException unreadable)
				? new UnreadableMessageException(String.valueOf(unreadable.getMessage()), null) : failure;
	}

	@Override
	public Scope open() {
		return this.observation.openScope()::close;
	}

	@Override
	public void end() {
		if (!this.ended) {
			this.ended = true;
			this.observation.stop();
		}
	}

}
