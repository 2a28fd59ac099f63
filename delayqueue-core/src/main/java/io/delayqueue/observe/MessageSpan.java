package io.delayqueue.observe;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.delayqueue.DelayQueueException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleResult;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.delayqueue.observe.QueueObserver.NotScheduled;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;

/**
 * Tracing span of a call that schedules messages or handles messages. A span may be
 * passed between threads, but only one thread at a time may use the span. Catches the
 * exceptions of the tracing code.
 */
public final class MessageSpan {

	/** Span that records nothing. */
	public static final MessageSpan NONE = new MessageSpan(MessageTracing.NONE, Observation.NOOP, new Outcomes(),
			Map.of());

	/** Header with data of the application that is independent of the trace. */
	private static final String BAGGAGE = "baggage";

	/** Optional header with vendor data for the span in {@code traceparent}. */
	private static final String TRACE_STATE = "tracestate";

	private final MessageTracing tracing;

	private final Observation observation;

	private final Outcomes outcomes;

	private final Map<String, String> propagated;

	private boolean failed;

	private boolean ended;

	/**
	 * Creates the span of a started observation.
	 * @param tracing catches the failures of the observation
	 * @param observation a started observation
	 * @param outcomes collects the outcomes of the messages
	 * @param propagated the headers that identify this span, as an immutable map
	 */
	MessageSpan(MessageTracing tracing, Observation observation, Outcomes outcomes, Map<String, String> propagated) {
		this.tracing = tracing;
		this.observation = observation;
		this.outcomes = outcomes;
		this.propagated = propagated;
	}

	/**
	 * Adds the headers that link the span of the handler to this span. This method
	 * replaces no header that the caller has set. If the caller has set a header that
	 * identifies a span, this method adds no header that identifies this span, because a
	 * mixture of headers of two spans would identify neither span.
	 * @param own the headers that the caller set on the message; not changed
	 * @return the headers of the caller and the added headers
	 */
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

	/**
	 * Sets the id of the message of this span if it was not known when the span began.
	 * @param id the message's id
	 */
	public void message(String id) {
		record(() -> this.observation.highCardinalityKeyValue(HighCardinalityKey.MESSAGE_ID.withValue(id)));
	}

	/**
	 * Records the outcome for a message of this span. The caller calls this method once
	 * for each message of the span.
	 * @param outcome the outcome, a constant of a closed set
	 */
	public void outcome(Enum<?> outcome) {
		record(() -> this.outcomes.add(outcome));
	}

	/**
	 * Records the answer for a message of this span: its outcome, and the failure if
	 * there is one. The caller calls this method once for each message of the span.
	 * @param answer the answer
	 */
	public void answered(ScheduleAnswer answer) {
		ScheduleResult result = answer.result();
		DelayQueueException failure = answer.failure();
		if (result != null) {
			outcome(result.outcome());
		}
		else if (failure != null) {
			outcome(NotScheduled.of(failure));
			failed(failure);
		}
	}

	/**
	 * Records that the work of this span has failed. Only the first failure is recorded.
	 * @param failure the exception
	 */
	public void failed(Throwable failure) {
		record(() -> {
			if (!this.failed) {
				this.failed = true;
				this.observation.error(withoutPayload(failure));
			}
		});
	}

	/**
	 * Removes the cause of an {@link UnreadableMessageException}, because tracing records
	 * the cause, which may quote the payload.
	 */
	private static Throwable withoutPayload(Throwable failure) {
		return (failure instanceof UnreadableMessageException unreadable)
				? new UnreadableMessageException(String.valueOf(unreadable.getMessage()), null) : failure;
	}

	/**
	 * Makes this span the current span of the calling thread.
	 * @return the scope, which the calling thread must close before {@link #end}
	 */
	public Scope open() {
		Observation.Scope scope = this.tracing.guarded(this.observation::openScope, Observation.Scope.NOOP);
		return () -> record(scope::close);
	}

	/** Ends this span. Does nothing if the span has already ended. */
	public void end() {
		record(() -> {
			if (!this.ended) {
				this.ended = true;
				this.observation.stop();
			}
		});
	}

	/**
	 * Runs work with this span as the current span of the calling thread.
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the work may throw
	 * @param work the work
	 * @return the result of the work
	 * @throws E if the work fails
	 */
	public <T, E extends Throwable> T during(Work<T, E> work) throws E {
		Scope scope = open();
		try {
			return work.run();
		}
		finally {
			scope.close();
		}
	}

	private void record(Runnable call) {
		if (this != NONE) {
			this.tracing.guarded(() -> {
				call.run();
				return this;
			}, this);
		}
	}

	/** Period during which a span is the current span of a thread. */
	@FunctionalInterface
	public interface Scope {

		/**
		 * Ends this period: makes the previous span the current span of the thread again.
		 */
		void close();

	}

	/**
	 * Work to run within a span.
	 *
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the work may throw
	 */
	@FunctionalInterface
	public interface Work<T, E extends Throwable> {

		/**
		 * Runs the work.
		 * @return the result
		 * @throws E if the work fails
		 */
		T run() throws E;

	}

	/**
	 * Combined outcome of the messages of a span, {@code mixed} if the outcomes differ.
	 */
	static final class Outcomes {

		private String value = KeyValue.NONE_VALUE;

		void add(Enum<?> outcome) {
			String word = outcome.name().toLowerCase(Locale.ROOT);
			this.value = (this.value.equals(KeyValue.NONE_VALUE) || this.value.equals(word)) ? word : "mixed";
		}

		@Override
		public String toString() {
			return this.value;
		}

	}

}
