package io.delayqueue.outbox;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import brave.Tracing;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.CurrentTraceContext;
import brave.propagation.ThreadLocalCurrentTraceContext;
import brave.propagation.TraceContext;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.fixture.HandledMessages;
import io.delayqueue.outbox.fixture.OutboxApplication;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.test.redis.SharedRedis;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.brave.bridge.BraveBaggageManager;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.brave.bridge.W3CPropagation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The spans of a message of the outbox, with the tracer of Brave, which has tags for
 * links.
 */
@Tag("slow")
class OutboxTracingIntegrationTests {

	@Test
	void theHandlerIsLinkedToTheSpanOfTheTransaction() {
		try (OutboxApplication application = OutboxApplication.on(TestDatabase.H2.create(), SharedRedis.get().uri())
			.with(Brave.class, HandledMessages.class)
			.start()) {
			Tracer tracer = application.bean(Tracer.class);
			Ended ended = application.bean(Ended.class);
			Span web = tracer.nextSpan().name("web").start();
			Tracer.SpanInScope current = tracer.withSpan(web);
			try {
				application.inTransaction(() -> application.outbox()
					.schedule(ScheduleRequest.to("delivered").id("traced").payload("x").delay(Duration.ZERO)));
			}
			finally {
				current.close();
				web.end();
			}

			MutableSpan handled = ended.await("process delivered");
			MutableSpan scheduled = ended.await("schedule delivered");
			assertThat(scheduled.traceId()).isEqualTo(web.context().traceId());
			assertThat(scheduled.parentId()).isEqualTo(web.context().spanId());
			assertThat(handled.traceId()).isNotEqualTo(web.context().traceId());
			assertThat(handled.parentId()).isNull();
			assertThat(handled.tags()).containsEntry("links[0].traceId", scheduled.traceId())
				.containsEntry("links[0].spanId", scheduled.id())
				.containsEntry("messaging.message.id", "traced");
			// The sender and the relay begin no spans
			assertThat(ended.names()).containsExactlyInAnyOrder("web", "schedule delivered", "process delivered");
			assertThat(application.bean(HandledMessages.class).messages()).singleElement()
				.satisfies((message) -> assertThat(message.headers()).containsEntry("traceparent",
						"00-" + scheduled.traceId() + "-" + scheduled.id() + "-01"));
		}
	}

	/** Keeps the spans that a tracer would report. */
	static final class Ended extends SpanHandler {

		private final List<MutableSpan> spans = new CopyOnWriteArrayList<>();

		@Override
		public boolean end(TraceContext context, MutableSpan span, Cause cause) {
			this.spans.add(new MutableSpan(span));
			return true;
		}

		MutableSpan await(String name) {
			return Awaitility.await()
				.until(() -> this.spans.stream().filter((span) -> name.equals(span.name())).toList(),
						(found) -> found.size() == 1)
				.get(0);
		}

		List<String> names() {
			return this.spans.stream().map((span) -> String.valueOf(span.name())).toList();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Brave {

		@Bean
		Ended ended() {
			return new Ended();
		}

		@Bean
		CurrentTraceContext current() {
			return ThreadLocalCurrentTraceContext.newBuilder().build();
		}

		@Bean
		Tracing tracing(CurrentTraceContext current, Ended ended) {
			return Tracing.newBuilder()
				.currentTraceContext(current)
				.traceId128Bit(true)
				.supportsJoin(false)
				.propagationFactory(new W3CPropagation(new BraveBaggageManager(), List.of()))
				.addSpanHandler(ended)
				.build();
		}

		@Bean
		BraveTracer tracer(Tracing tracing, CurrentTraceContext current) {
			return new BraveTracer(tracing.tracer(), new BraveCurrentTraceContext(current), new BraveBaggageManager());
		}

		@Bean
		BravePropagator propagator(Tracing tracing) {
			return new BravePropagator(tracing);
		}

	}

}
