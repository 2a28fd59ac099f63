package io.delayqueue.observe;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.observe.ProcessingContext.TracedMessage;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import org.jspecify.annotations.Nullable;

/**
 * Creates spans through the observations of {@link DelayQueueObservation}, so that the
 * application's own observation handlers, conventions, filters and predicates apply. Safe
 * for use by several threads.
 *
 * <p>
 * A call that schedules writes the headers of the application's propagator, and also
 * {@code traceparent} if the propagator does not write it.
 * {@link ProcessingTracingHandler} finds the span by this header, even in a process with
 * a different propagator.
 *
 * <p>
 * Exceptions of the registry are propagated: see {@link GuardedMessageTracing}.
 */
public final class MicrometerMessageTracing implements MessageTracing {

	/** Default limit of OpenTelemetry for the links of a span. */
	private static final int MOST_LINKS = 128;

	private static final SchedulingConvention SCHEDULING = new SchedulingConvention();

	private static final ProcessingConvention PROCESSING = new ProcessingConvention();

	private final ObservationRegistry registry;

	/**
	 * Creates the tracing.
	 * @param registry the registry of observations, with handlers that create spans
	 */
	public MicrometerMessageTracing(ObservationRegistry registry) {
		this.registry = registry;
	}

	@Override
	public MessageSpan scheduling(ScheduleRequest request) {
		return begin(new SchedulingContext(request.queue(), 1));
	}

	@Override
	public MessageSpan scheduling(Collection<ScheduleRequest> requests) {
		return requests.isEmpty() ? MessageSpan.NONE : begin(new SchedulingContext(queue(requests), requests.size()));
	}

	private static @Nullable String queue(Collection<ScheduleRequest> requests) {
		String first = requests.iterator().next().queue();
		return requests.stream().allMatch((request) -> request.queue().equals(first)) ? first : null;
	}

	private MessageSpan begin(SchedulingContext context) {
		Observation observation = DelayQueueObservation.SCHEDULE.start(null, SCHEDULING, () -> context, this.registry);
		return new ObservedSpan(observation, context.outcomes(), propagated(context));
	}

	private static Map<String, String> propagated(SchedulingContext context) {
		Map<String, String> headers = context.headers();
		TracingContext tracing = context.get(TracingContext.class);
		Span span = (tracing != null) ? tracing.getSpan() : null;
		if (span != null && !headers.isEmpty() && !headers.containsKey(TraceParent.NAME)) {
			TraceParent parent = TraceParent.of(span.context());
			if (parent != null) {
				headers.put(TraceParent.NAME, parent.toString());
			}
		}
		return Collections.unmodifiableMap(headers);
	}

	@Override
	public MessageSpan processing(String queue, String id, int attempt, Map<String, String> headers) {
		return begin(new ProcessingContext(queue, attempt, 1, List.of(new TracedMessage(id, headers))));
	}

	@Override
	public <T> MessageSpan processing(String queue, List<T> messages, Function<T, String> id,
			Function<T, Map<String, String>> headers) {
		List<TracedMessage> first = messages.stream()
			.limit(MOST_LINKS)
			.map((message) -> new TracedMessage(id.apply(message), headers.apply(message)))
			.toList();
		return begin(new ProcessingContext(queue, 0, messages.size(), first));
	}

	private MessageSpan begin(ProcessingContext context) {
		Observation observation = DelayQueueObservation.PROCESS.start(null, PROCESSING, () -> context, this.registry);
		return new ObservedSpan(observation, context.outcomes(), Map.of());
	}

}
