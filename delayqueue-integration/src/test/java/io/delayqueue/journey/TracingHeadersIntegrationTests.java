package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.journey.fixture.Traces;
import io.delayqueue.journey.fixture.Transactions;
import io.micrometer.tracing.BaggageInScope;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The tracing headers that scheduling writes into a message, and their use by a handler.
 */
@Tag("slow")
class TracingHeadersIntegrationTests {

	private static final String OTHER = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

	private final TestApplication applications = Traces.application();

	@AfterEach
	void stop() {
		this.applications.close();
	}

	/** An application with accessors for the tests. */
	private record Started(ConfigurableApplicationContext context) {

		DelayQueueOperations queue() {
			return this.context.getBean(DelayQueueOperations.class);
		}

		Traces traces() {
			return this.context.getBean(Traces.class);
		}

		Listener listener() {
			return this.context.getBean(Listener.class);
		}

	}

	private Started consumer() {
		return new Started(this.applications.start(Traces.class, Listener.class));
	}

	private Started producer() {
		return new Started(this.applications.start(Traces.class));
	}

	static class Listener {

		final Handled handled = new Handled();

		final Map<String, String> tenants = new ConcurrentHashMap<>();

		@DelayedListener(queue = "orders")
		void handle(DelayedMessage<String> message) {
			this.tenants.put(message.id(), String.valueOf(MDC.get("tenant")));
			this.handled.add(message);
		}

	}

	@Test
	void handlingProcessLinksToTheSchedulingProcess() {
		Started producer = producer();
		producer.queue().schedule(request("a", Duration.ofHours(1)));
		SpanData scheduled = producer.traces().await("schedule orders", "a");
		assertThat(headers(producer, "a")).isEqualTo(Map.of("traceparent", Traces.traceparent(scheduled)));

		Started consumer = consumer();
		producer.queue().reschedule("orders", "a", Duration.ZERO);
		assertThat(Traces.links(consumer.traces().await("process orders", "a")))
			.containsExactly(Traces.name(scheduled));
		assertThat(consumer.traces().named("schedule orders")).isEmpty();
	}

	@Test
	void headersOfTheCallerAreKeptAndCountedSeparately() {
		Started producer = producer();
		ScheduleRequest most = request("a", Duration.ofHours(1));
		int count = 0;
		while (fits(most, count)) {
			most = most.header("own-" + count++, "value");
		}
		producer.queue().schedule(most);

		assertThat(headers(producer, "a")).hasSize(count + 1)
			.containsKey("traceparent")
			.containsEntry("own-0", "value");
	}

	private static boolean fits(ScheduleRequest request, int count) {
		try {
			request.header("own-" + count, "value");
			return true;
		}
		catch (InvalidMessageException full) {
			return false;
		}
	}

	@Test
	void traceHeaderOfTheCallerIsKeptAndLinked() {
		Started app = consumer();
		String own = "00-" + OTHER + "-01";
		app.queue().schedule(request("a", Duration.ofHours(1)).header("traceparent", own));
		app.queue().schedule(request("b", Duration.ZERO).header("traceparent", own));
		app.queue().schedule(request("c", Duration.ofHours(1)).header("tracestate", "vendor=1"));

		assertThat(headers(app, "a")).isEqualTo(Map.of("traceparent", own));
		assertThat(Traces.links(app.traces().await("process orders", "b"))).containsExactly(OTHER);
		// With the library's traceparent, tracestate would belong to the wrong trace
		assertThat(headers(app, "c")).isEqualTo(Map.of("tracestate", "vendor=1"));
	}

	@Test
	void malformedTraceHeaderIsNotLinked() {
		Started app = consumer();
		List<String> bad = List.of("", "nonsense", "00-" + OTHER, "ff-" + OTHER + "-01", "00-" + OTHER + "-01-more",
				"00-" + "0".repeat(32) + "-b7ad6b7169203331-01");
		for (String header : bad) {
			app.queue().schedule(request(id(header), Duration.ZERO).header("traceparent", header));
		}

		for (String header : bad) {
			SpanData handled = app.traces().await("process orders", id(header));
			assertThat(handled.getLinks()).as(header).isEmpty();
			assertThat(handled.getParentSpanContext().isValid()).as(header).isFalse();
			assertThat(Traces.attribute(handled, "delayqueue.outcome")).as(header).isEqualTo("success");
		}
	}

	private static String id(String header) {
		return "id of " + header;
	}

	@Test
	void otherPropagationFormatsAreLinkedToo() {
		this.applications.with("management.tracing.propagation.type=b3");
		Started app = consumer();
		app.queue().schedule(request("a", Duration.ofHours(1)));
		assertThat(headers(app, "a")).containsOnlyKeys("b3", "traceparent");

		app.queue().reschedule("orders", "a", Duration.ZERO);
		SpanData handled = app.traces().await("process orders", "a");
		SpanData scheduled = app.traces().await("schedule orders", "a");
		assertThat(Traces.links(handled)).containsExactly(Traces.name(scheduled));
		assertThat(handled.getParentSpanContext().isValid()).isFalse();
	}

	@Test
	void baggageReachesTheHandler() {
		this.applications.with("management.tracing.baggage.remote-fields=tenant")
			.with("management.tracing.baggage.correlation.fields=tenant");
		Started app = consumer();
		Tracer tracer = app.context().getBean(Tracer.class);
		Span span = tracer.nextSpan().start();
		Tracer.SpanInScope current = tracer.withSpan(span);
		BaggageInScope baggage = tracer.createBaggageInScope("tenant", "7");
		try {
			app.queue().schedule(request("a", Duration.ZERO));
		}
		finally {
			baggage.close();
			current.close();
			span.end();
		}

		app.listener().handled.await(1);
		assertThat(app.listener().tenants).containsEntry("a", "7");
		SpanData handled = app.traces().await("process orders", "a");
		assertThat(handled.getParentSpanContext().isValid()).isFalse();
		assertThat(handled.getTraceId()).isNotEqualTo(span.context().traceId());
	}

	@Test
	void nothingIsWrittenOrTracedWhenTracingIsDisabled() {
		this.applications.with("delayqueue.tracing.enabled=false");
		Started app = consumer();
		Tracer tracer = app.context().getBean(Tracer.class);
		Span web = tracer.nextSpan().name("web").start();
		Tracer.SpanInScope current = tracer.withSpan(web);
		try {
			app.queue().schedule(request("a", Duration.ofHours(1)));
		}
		finally {
			current.close();
			web.end();
		}
		assertThat(headers(app, "a")).isEmpty();

		app.queue().reschedule("orders", "a", Duration.ZERO);
		app.listener().handled.await(1);
		Awaitility.await().until(() -> app.queue().find("orders", "a").isEmpty());
		assertThat(Stream.of("schedule orders", "process orders").flatMap((name) -> app.traces().named(name).stream()))
			.isEmpty();
		assertThat(app.traces().named("web")).hasSize(1);
	}

	@Test
	void rejectedCallIsAnError() {
		Started app = producer();
		app.queue().schedule(request("a", Duration.ofHours(1)));
		assertThatExceptionOfType(DuplicateMessageException.class).isThrownBy(
				() -> app.queue().schedule(request("a", Duration.ofHours(1)).onDuplicate(DuplicatePolicy.fail())));

		SpanData refused = app.traces().await(2, "schedule orders", "a").get(1);
		assertThat(Traces.attribute(refused, "delayqueue.outcome")).isEqualTo("duplicate_refused");
		assertThat(refused.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
	}

	@Test
	void messageScheduledAfterCommitBelongsToTheTraceOfItsCall() {
		Started app = producer();
		TransactionTemplate transaction = new TransactionTemplate(new Transactions());
		transaction.executeWithoutResult((status) -> {
			app.queue().scheduleAfterCommit(request("committed", Duration.ofHours(1)));
			assertThat(app.traces().named("schedule orders")).as("not sent yet").isEmpty();
		});
		transaction.executeWithoutResult((status) -> {
			app.queue().scheduleAfterCommit(request("rolled-back", Duration.ofHours(1)));
			status.setRollbackOnly();
		});
		app.queue().scheduleAfterCommit(request("at-once", Duration.ofHours(1)));

		for (String id : List.of("committed", "at-once")) {
			SpanData scheduled = app.traces().await("schedule orders", id);
			assertThat(Traces.attribute(scheduled, "delayqueue.outcome")).isEqualTo("created");
			assertThat(headers(app, id)).isEqualTo(Map.of("traceparent", Traces.traceparent(scheduled)));
		}
		SpanData rolledBack = app.traces().await("schedule orders", "rolled-back");
		assertThat(Traces.attribute(rolledBack, "delayqueue.outcome")).isEqualTo("none");
		assertThat(rolledBack.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
	}

	private static Map<String, String> headers(Started app, String id) {
		return app.queue().find("orders", id).orElseThrow().headers();
	}

	private static ScheduleRequest request(String id, Duration delay) {
		return ScheduleRequest.to("orders").payload("x").id(id).delay(delay);
	}

}
