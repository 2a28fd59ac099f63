package io.delayqueue.observe;

import java.util.LinkedHashMap;
import java.util.Map;

import io.delayqueue.UnreadableMessageException;
import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.micrometer.observation.Observation;

/**
 * Span backed by an observation.
 */
final class ObservedSpan implements MessageSpan {

	/** Header that is independent of the trace. */
	private static final String BAGGAGE = "baggage";

	/** Optional header with vendor data for the span in {@code traceparent}. */
	private static final String TRACE_STATE = "tracestate";

	private final Observation observation;

	private final Outcomes outcomes;

	private final Map<String, String> propagated;

	private boolean failed;

	private boolean ended;

	/**
	 * Creates the span.
	 * @param observation a started observation
	 * @param outcomes collects the outcomes of the messages
	 * @param propagated the headers that identify this span; immutable
	 */
	ObservedSpan(Observation observation, Outcomes outcomes, Map<String, String> propagated) {
		this.observation = observation;
		this.outcomes = outcomes;
		this.propagated = propagated;
	}

	/**
	 * If the caller has set one of the headers that identify a span, the caller's span is
	 * kept. A mixture of headers of two spans would identify neither.
	 */
	@Override
	public Map<String, String> headers(Map<String, String> own) {
		if (this.propagated.isEmpty() || own.isEmpty()) {
			return own.isEmpty() ? this.propagated : own;
		}
		boolean namesAnotherSpan = own.containsKey(TRACE_STATE)
				|| this.propagated.keySet().stream().anyMatch((name) -> !name.equals(BAGGAGE) && own.containsKey(name));
		Map<String, String> all = new LinkedHashMap<>(own);
		this.propagated.forEach((name, value) -> {
			if (!namesAnotherSpan || name.equals(BAGGAGE)) {
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

	/** Removes the causes: they quote the payload, and spans record causes. */
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
