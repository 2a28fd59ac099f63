package io.delayqueue.journey;

import java.util.List;
import java.util.function.Predicate;

import io.delayqueue.test.redis.SharedRedis;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The spans that an application has ended, with the tracer of OpenTelemetry.
 */
@Configuration(proxyBeanMethods = false)
class Traces {

	static final String MESSAGE_ID = "messaging.message.id";

	/** Not a bean: Spring would export to it in batches as well. */
	private final InMemorySpanExporter ended = InMemorySpanExporter.create();

	/** Applications with a tracer whose spans are all kept. */
	static TestApplication application() {
		return new TestApplication(SharedRedis.get().uri()).with("spring.autoconfigure.exclude=")
			.with("delayqueue.tracing.enabled=true")
			.with("management.tracing.sampling.probability=1.0")
			.with("delayqueue.defaults.max-attempts=2")
			.with("delayqueue.defaults.back-off.first=1ms");
	}

	@Bean
	SpanProcessor recorder() {
		return SimpleSpanProcessor.create(this.ended);
	}

	/** All ended spans of a name, in the order in which they have ended. */
	List<SpanData> named(String name) {
		return find((span) -> span.getName().equals(name));
	}

	/** Waits for so many spans of a name that are about a message. */
	List<SpanData> await(int count, String name, String id) {
		return await(count, (span) -> span.getName().equals(name) && id.equals(attribute(span, MESSAGE_ID)));
	}

	/** Waits for the only span of a name that is about a message. */
	SpanData await(String name, String id) {
		return await(1, name, id).get(0);
	}

	List<SpanData> await(int count, Predicate<SpanData> those) {
		return Awaitility.await().until(() -> find(those), (found) -> found.size() == count);
	}

	private List<SpanData> find(Predicate<SpanData> those) {
		return this.ended.getFinishedSpanItems().stream().filter(those).toList();
	}

	static @Nullable String attribute(SpanData span, String key) {
		return span.getAttributes().get(AttributeKey.stringKey(key));
	}

	/** The spans that a span is linked to, each as {@code traceId-spanId}. */
	static List<String> links(SpanData span) {
		return span.getLinks()
			.stream()
			.map((link) -> link.getSpanContext().getTraceId() + "-" + link.getSpanContext().getSpanId())
			.toList();
	}

	/** A span as {@code traceId-spanId}. */
	static String name(SpanData span) {
		return span.getTraceId() + "-" + span.getSpanId();
	}

	/** The header that names a span. */
	static String traceparent(SpanData span) {
		return "00-" + name(span) + "-" + span.getSpanContext().getTraceFlags().asHex();
	}

}
