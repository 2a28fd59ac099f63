package io.delayqueue.observe;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.micrometer.observation.Observation;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.TracingObservationHandler.TracingContext;
import org.jspecify.annotations.Nullable;

/**
 * The W3C header {@code traceparent}, which identifies a span
 * (https://www.w3.org/TR/trace-context/#traceparent-header).
 *
 * @param traceId the id of the trace, 32 hexadecimal digits
 * @param spanId the id of the span, 16 hexadecimal digits
 * @param sampled whether the span is recorded
 */
record TraceParent(String traceId, String spanId, boolean sampled) {

	/** The name of the header. */
	static final String NAME = "traceparent";

	/**
	 * The format of the header. Later versions of the format may append fields; version
	 * {@code ff} is invalid.
	 */
	private static final Pattern FORM = Pattern
		.compile("(?!ff)([0-9a-f]{2})-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

	private static final int TRACE_ID_DIGITS = 32;

	/**
	 * Reads the value of a header {@code traceparent}.
	 * @param header the value, {@code null} if the message has no such header
	 * @return the span, {@code null} if the header does not identify a span
	 */
	static @Nullable TraceParent read(@Nullable String header) {
		if (header == null) {
			return null;
		}
		Matcher form = FORM.matcher(header);
		if (!form.matches() || (form.group(1).equals("00") && form.group(5) != null)) {
			return null;
		}
		return new TraceParent(form.group(2), form.group(3), (Integer.parseInt(form.group(4), 16) & 1) == 1);
	}

	/**
	 * Returns the header for an observation's span, {@code null} if the observation has
	 * no span with valid ids.
	 */
	static @Nullable TraceParent of(Observation.Context observation) {
		TracingContext tracing = observation.get(TracingContext.class);
		Span span = (tracing != null) ? tracing.getSpan() : null;
		if (span == null) {
			return null;
		}
		TraceContext context = span.context();
		String traceId = context.traceId();
		String padded = "0".repeat(Math.max(0, TRACE_ID_DIGITS - traceId.length())) + traceId;
		return read("00-" + padded + "-" + context.spanId() + (Boolean.TRUE.equals(context.sampled()) ? "-01" : "-00"));
	}

	/** Converts this header to the trace context of a tracer. */
	TraceContext context(Tracer tracer) {
		return tracer.traceContextBuilder().traceId(this.traceId).spanId(this.spanId).sampled(this.sampled).build();
	}

	/** Returns the value of the header. */
	@Override
	public String toString() {
		return "00-" + this.traceId + "-" + this.spanId + (this.sampled ? "-01" : "-00");
	}

}
