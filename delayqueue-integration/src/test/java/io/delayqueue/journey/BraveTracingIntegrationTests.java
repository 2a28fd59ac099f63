package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import brave.Tracing;
import brave.baggage.BaggageField;
import brave.baggage.BaggagePropagation;
import brave.baggage.BaggagePropagationConfig.SingleBaggageField;
import brave.context.slf4j.MDCScopeDecorator;
import brave.handler.MutableSpan;
import brave.handler.SpanHandler;
import brave.propagation.CurrentTraceContext;
import brave.propagation.ThreadLocalCurrentTraceContext;
import brave.propagation.TraceContext;
import io.delayqueue.DelayQueueMdc;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.journey.fixture.Traces;
import io.micrometer.tracing.BaggageInScope;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.brave.bridge.BraveBaggageManager;
import io.micrometer.tracing.brave.bridge.BraveCurrentTraceContext;
import io.micrometer.tracing.brave.bridge.BravePropagator;
import io.micrometer.tracing.brave.bridge.BraveTracer;
import io.micrometer.tracing.brave.bridge.W3CPropagation;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The spans of messages with the tracer of Brave, which has no links and makes any
 * current or extracted span the parent of the next one. Each test has messages of its
 * own.
 */
@SuppressWarnings("NullAway.Init")
class BraveTracingIntegrationTests {

	private static TestApplication application;

	private static Tracer tracer;

	private static Ended ended;

	private static Listener listener;

	private static DelayQueueOperations queue;

	@BeforeAll
	static void start() {
		application = Traces.application()
			.with("spring.autoconfigure.exclude="
					+ "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure"
					+ ".OpenTelemetryTracingAutoConfiguration,"
					+ "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration");
		ConfigurableApplicationContext context = application.start(Brave.class, Listener.class);
		tracer = context.getBean(Tracer.class);
		ended = context.getBean(Ended.class);
		listener = context.getBean(Listener.class);
		queue = context.getBean(DelayQueueOperations.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static class Listener {

		/** The MDC of each message's handler. */
		final Map<String, Map<String, String>> mdc = new ConcurrentHashMap<>();

		/** The baggage of each message's handler. */
		final Map<String, Map<String, String>> baggage = new ConcurrentHashMap<>();

		@DelayedListener(queue = "orders")
		void handle(DelayedMessage<String> message) {
			this.mdc.put(message.id(), MDC.getCopyOfContextMap());
			this.baggage.put(message.id(), tracer.getAllBaggage());
		}

		@DelayedListener(queue = "small", batch = "2", batchWait = "9s")
		void handle(List<DelayedMessage<String>> batch) {
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

		/** Waits for exactly that many spans of a name with a given message. */
		List<MutableSpan> await(int count, String name, String id) {
			return Awaitility.await()
				.until(() -> this.spans.stream()
					.filter((span) -> name.equals(span.name()) && id.equals(span.tag(Traces.MESSAGE_ID)))
					.toList(), (found) -> found.size() == count);
		}

		MutableSpan await(String name, String id) {
			return await(1, name, id).get(0);
		}

		MutableSpan await(String name) {
			return Awaitility.await()
				.until(() -> this.spans.stream().filter((span) -> name.equals(span.name())).toList(),
						(found) -> found.size() == 1)
				.get(0);
		}

	}

	/** The configuration of Spring Boot without the tracer of OpenTelemetry. */
	@Configuration(proxyBeanMethods = false)
	static class Brave {

		@Bean
		Ended ended() {
			return new Ended();
		}

		@Bean
		CurrentTraceContext current() {
			return ThreadLocalCurrentTraceContext.newBuilder().addScopeDecorator(MDCScopeDecorator.get()).build();
		}

		@Bean
		Tracing tracing(CurrentTraceContext current, Ended ended) {
			W3CPropagation w3c = new W3CPropagation(new BraveBaggageManager(List.of(), List.of("tenant")), List.of());
			return Tracing.newBuilder()
				.currentTraceContext(current)
				.traceId128Bit(true)
				.supportsJoin(false)
				.propagationFactory(BaggagePropagation.newFactoryBuilder(w3c)
					.add(SingleBaggageField.remote(BaggageField.create("tenant")))
					.build())
				.addSpanHandler(ended)
				.build();
		}

		@Bean
		BraveTracer tracer(Tracing tracing, CurrentTraceContext current) {
			return new BraveTracer(tracing.tracer(), new BraveCurrentTraceContext(current),
					new BraveBaggageManager(List.of(), List.of("tenant")));
		}

		@Bean
		BravePropagator propagator(Tracing tracing) {
			return new BravePropagator(tracing);
		}

	}

	@Test
	void schedulingIsASpanOfTheCurrentTraceAndTheMessageCarriesIt() {
		Span web = tracer.nextSpan().name("web").start();
		Tracer.SpanInScope current = tracer.withSpan(web);
		try {
			schedule("orders", "in-trace", Duration.ofHours(1));
		}
		finally {
			current.close();
			web.end();
		}

		MutableSpan scheduled = ended.await("schedule orders", "in-trace");
		assertThat(scheduled.kind()).isEqualTo(brave.Span.Kind.PRODUCER);
		assertThat(scheduled.traceId()).isEqualTo(web.context().traceId());
		assertThat(scheduled.parentId()).isEqualTo(web.context().spanId());
		assertThat(scheduled.tag("delayqueue.outcome")).isEqualTo("created");
		assertThat(queue.find("orders", "in-trace").orElseThrow().headers())
			.isEqualTo(Map.of("traceparent", "00-" + scheduled.traceId() + "-" + scheduled.id() + "-01"));
	}

	@Test
	void handlerSpanIsARootWithTagsOfTheSchedulingSpan() {
		schedule("orders", "linked", Duration.ZERO);

		MutableSpan scheduled = ended.await("schedule orders", "linked");
		MutableSpan handled = ended.await("process orders", "linked");
		assertThat(handled.kind()).isEqualTo(brave.Span.Kind.CONSUMER);
		assertThat(handled.traceId()).isNotEqualTo(scheduled.traceId());
		assertThat(handled.parentId()).isNull();
		assertThat(handled.tags()).containsExactlyInAnyOrderEntriesOf(Map.of("links[0].traceId", scheduled.traceId(),
				"links[0].spanId", scheduled.id(), "messaging.system", "delayqueue", "messaging.destination.name",
				"orders", "messaging.operation.name", "process", "messaging.operation.type", "process",
				"messaging.message.id", "linked", "delayqueue.attempt", "1", "delayqueue.outcome", "success"));
	}

	@Test
	void batchHasTagsForEachMessage() {
		schedule("small", "a", Duration.ZERO);
		schedule("small", "b", Duration.ZERO);

		MutableSpan batch = ended.await("process small");
		assertThat(batch.parentId()).isNull();
		assertThat(List.of(linked(batch, 0), linked(batch, 1))).containsExactlyInAnyOrder("a", "b");
		for (int i = 0; i < 2; i++) {
			MutableSpan scheduled = ended.await("schedule small", linked(batch, i));
			assertThat(batch.tag("links[" + i + "].traceId")).isEqualTo(scheduled.traceId());
			assertThat(batch.tag("links[" + i + "].spanId")).isEqualTo(scheduled.id());
		}
	}

	private static String linked(MutableSpan batch, int link) {
		return String.valueOf(batch.tag("links[" + link + "].tags[" + Traces.MESSAGE_ID + "]"));
	}

	@Test
	void logsOfAHandlerAreCorrelated() {
		schedule("orders", "logged", Duration.ZERO);

		MutableSpan handled = ended.await("process orders", "logged");
		assertThat(listener.mdc.get("logged")).containsExactlyInAnyOrderEntriesOf(Map.of("traceId", handled.traceId(),
				"spanId", handled.id(), DelayQueueMdc.QUEUE, "orders", DelayQueueMdc.ID, "logged"));
	}

	@Test
	void baggageStaysInTheHeaders() {
		Span web = tracer.nextSpan().name("web").start();
		Tracer.SpanInScope current = tracer.withSpan(web);
		BaggageInScope baggage = tracer.createBaggageInScope("tenant", "7");
		try {
			schedule("orders", "kept", Duration.ofHours(1));
			schedule("orders", "baggage", Duration.ZERO);
		}
		finally {
			baggage.close();
			current.close();
			web.end();
		}

		assertThat(queue.find("orders", "kept").orElseThrow().headers()).containsEntry("baggage", "tenant=7");
		assertThat(ended.await("process orders", "baggage").parentId()).isNull();
		assertThat(listener.baggage.get("baggage")).isEmpty();
	}

	private static void schedule(String name, String id, Duration delay) {
		queue.schedule(ScheduleRequest.to(name).payload("x").id(id).delay(delay));
	}

}
