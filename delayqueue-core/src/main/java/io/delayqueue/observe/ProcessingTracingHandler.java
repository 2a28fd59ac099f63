package io.delayqueue.observe;

import java.util.Map;

import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.delayqueue.observe.ProcessingContext.TracedMessage;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Makes the span of a handler call the root of a trace, and links this span to the span
 * of the call that scheduled each message. If the span of the handler were a child of the
 * scheduling span, one trace could extend over days. Safe for use by several threads.
 *
 * <p>
 * Links use the header {@code traceparent} of a message, whatever propagation format the
 * application uses. If a message has no valid header {@code traceparent}, the span has no
 * link to it. The handler also restores the baggage of a single message (data of the
 * application that travels with a trace), if the tracing bridge can restore baggage
 * without making the span a child.
 */
public final class ProcessingTracingHandler
		implements TracingObservationHandler<ProcessingContext>, AopInfrastructureBean {

	private static final String MESSAGE_ID = HighCardinalityKey.MESSAGE_ID.asString();

	private final Tracer tracer;

	private final Propagator propagator;

	/**
	 * Creates the handler.
	 * @param tracer the tracer that begins the spans
	 * @param propagator the propagator that reads the baggage
	 */
	public ProcessingTracingHandler(Tracer tracer, Propagator propagator) {
		this.tracer = tracer;
		this.propagator = propagator;
	}

	@Override
	public void onStart(ProcessingContext context) {
		// Some bridges use the current span as the parent despite setNoParent()
		Tracer.SpanInScope none = this.tracer.withSpan(null);
		try {
			getTracingContext(context).setSpan(context.isBatch() ? ofBatch(context) : ofMessage(context));
		}
		finally {
			none.close();
		}
	}

	private Span ofBatch(ProcessingContext context) {
		Span.Builder builder = this.tracer.spanBuilder();
		for (TracedMessage message : context.messages()) {
			TraceParent scheduled = scheduled(message);
			if (scheduled != null) {
				builder.addLink(new Link(scheduled.context(this.tracer), Map.of(MESSAGE_ID, message.id())));
			}
		}
		return begin(builder, context);
	}

	private Span ofMessage(ProcessingContext context) {
		TracedMessage message = context.messages().get(0);
		TraceParent scheduled = scheduled(message);
		if (scheduled == null) {
			return begin(this.tracer.spanBuilder(), context);
		}
		Link link = new Link(scheduled.context(this.tracer));
		Span span = begin(this.propagator.extract(message.headers(), Map::get).addLink(link), context);
		if (!scheduled.traceId().endsWith(span.context().traceId())) {
			return span;
		}
		span.abandon();
		return begin(this.tracer.spanBuilder().addLink(link), context);
	}

	private static @Nullable TraceParent scheduled(TracedMessage message) {
		return TraceParent.read(message.headers().get(TraceParent.NAME));
	}

	private Span begin(Span.Builder builder, ProcessingContext context) {
		return builder.setNoParent().kind(Span.Kind.CONSUMER).name(getSpanName(context)).start();
	}

	@Override
	public void onStop(ProcessingContext context) {
		Span span = getRequiredSpan(context);
		tagSpan(context, span);
		span.name(getSpanName(context));
		endSpan(context, span);
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return context instanceof ProcessingContext;
	}

	@Override
	public Tracer getTracer() {
		return this.tracer;
	}

}
