package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueMdc;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.HandlerSurroundings;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.journey.fixture.Traces;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The spans of messages that are handled one by one. Each test has messages of its own.
 */
@SuppressWarnings("NullAway.Init")
class TracingIntegrationTests {

	private static TestApplication application;

	private static Tracer tracer;

	private static Traces traces;

	private static Listener listener;

	private static DelayQueueOperations queue;

	@BeforeAll
	static void start() {
		application = Traces.application();
		ConfigurableApplicationContext context = application.start(Traces.class, Listener.class,
				HandlerSurroundings.class);
		tracer = context.getBean(Tracer.class);
		traces = context.getBean(Traces.class);
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

		final Map<String, CompletableFuture<Void>> stages = new ConcurrentHashMap<>();

		@DelayedListener(queue = "orders", interceptors = "watching")
		void handle(DelayedMessage<String> message) {
			boolean first = this.mdc.put(message.id(), MDC.getCopyOfContextMap()) == null;
			if (message.payload().equals("fail") || (message.payload().equals("fail once") && first)) {
				throw new IllegalStateException("no way");
			}
			if (message.payload().equals("defer once") && first) {
				throw new DeferException(Duration.ofMillis(1));
			}
		}

		@DelayedListener(queue = "numbers")
		void number(int number) {
		}

		@DelayedListener(queue = "stages", executor = "ownThread")
		CompletionStage<Void> stage(DelayedMessage<String> message) {
			return this.stages.computeIfAbsent(message.id(), (id) -> new CompletableFuture<>());
		}

	}

	@Test
	void schedulingIsASpanOfTheCurrentTrace() {
		Span web = tracer.nextSpan().name("web").start();
		Tracer.SpanInScope current = tracer.withSpan(web);
		try {
			schedule("orders", "in-trace", "x");
		}
		finally {
			current.close();
			web.end();
		}

		SpanData scheduled = traces.await("schedule orders", "in-trace");
		assertThat(scheduled.getKind()).isEqualTo(SpanKind.PRODUCER);
		assertThat(scheduled.getTraceId()).isEqualTo(web.context().traceId());
		assertThat(scheduled.getParentSpanId()).isEqualTo(web.context().spanId());
		assertThat(scheduled.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
		assertThat(attributes(scheduled))
			.containsExactlyInAnyOrderEntriesOf(Map.of("messaging.system", "delayqueue", "messaging.destination.name",
					"orders", "messaging.operation.name", "schedule", "messaging.operation.type", "send",
					"messaging.message.id", "in-trace", "delayqueue.outcome", "created"));
	}

	@Test
	void handlerSpanIsARootLinkedToTheSchedulingSpan() {
		schedule("orders", "linked", "x");

		SpanData scheduled = traces.await("schedule orders", "linked");
		SpanData handled = traces.await("process orders", "linked");
		assertThat(scheduled.getParentSpanContext().isValid()).isFalse();
		assertThat(handled.getKind()).isEqualTo(SpanKind.CONSUMER);
		assertThat(handled.getTraceId()).isNotEqualTo(scheduled.getTraceId());
		assertThat(handled.getParentSpanContext().isValid()).isFalse();
		assertThat(Traces.links(handled)).containsExactly(Traces.name(scheduled));
		assertThat(handled.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
		assertThat(attributes(handled))
			.containsExactlyInAnyOrderEntriesOf(Map.of("messaging.system", "delayqueue", "messaging.destination.name",
					"orders", "messaging.operation.name", "process", "messaging.operation.type", "process",
					"messaging.message.id", "linked", "delayqueue.attempt", "1", "delayqueue.outcome", "success"));
	}

	@Test
	void eachAttemptHasItsOwnTraceWithTheSameLink() {
		schedule("orders", "retried", "fail once");

		List<SpanData> attempts = traces.await(2, "process orders", "retried");
		String scheduled = Traces.name(traces.await("schedule orders", "retried"));
		assertThat(attempts).extracting(SpanData::getTraceId).doesNotHaveDuplicates();
		assertThat(attempts).allSatisfy((attempt) -> assertThat(Traces.links(attempt)).containsExactly(scheduled));
		assertThat(attempts).extracting((attempt) -> Traces.attribute(attempt, "delayqueue.attempt"))
			.containsExactly("1", "2");
		assertThat(attempts).extracting((attempt) -> Traces.attribute(attempt, "delayqueue.outcome"))
			.containsExactly("retry", "success");
		assertThat(attempts).extracting((attempt) -> attempt.getStatus().getStatusCode() == StatusCode.ERROR)
			.containsExactly(true, false);
	}

	@Test
	void finalFailureIsAnErrorOfItsSpan() {
		schedule("orders", "failed", "fail");

		SpanData last = traces.await(2, "process orders", "failed").get(1);
		assertThat(Traces.attribute(last, "delayqueue.outcome")).isEqualTo("failure");
		assertThat(last.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
		assertThat(exceptions(last)).singleElement().asString().contains("IllegalStateException: no way");
	}

	@Test
	void deferralIsNoError() {
		schedule("orders", "deferred", "defer once");

		SpanData first = traces.await(2, "process orders", "deferred").get(0);
		assertThat(Traces.attribute(first, "delayqueue.outcome")).isEqualTo("defer");
		assertThat(first.getStatus().getStatusCode()).isNotEqualTo(StatusCode.ERROR);
	}

	@Test
	void spanDoesNotQuoteAnUnreadablePayload() {
		schedule("numbers", "unreadable", "secret");

		SpanData handled = traces.await("process numbers", "unreadable");
		assertThat(Traces.attribute(handled, "delayqueue.outcome")).isEqualTo("unreadable");
		assertThat(handled.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
		assertThat(exceptions(handled)).singleElement()
			.asString()
			.contains("UnreadableMessageException")
			.doesNotContain("secret");
	}

	@Test
	void logsOfAHandlerAreCorrelatedAndItsThreadIsRestored() {
		schedule("orders", "logged", "x");

		SpanData handled = traces.await("process orders", "logged");
		assertThat(listener.mdc.get("logged"))
			.containsExactlyInAnyOrderEntriesOf(Map.of("traceId", handled.getTraceId(), "spanId", handled.getSpanId(),
					DelayQueueMdc.QUEUE, "orders", DelayQueueMdc.ID, "logged"));
		assertThat(HandlerSurroundings.intercepted).containsEntry("logged", handled.getTraceId());
	}

	@Test
	void logLineAboutAFailureIsCorrelated() {
		Logger library = (Logger) LoggerFactory.getLogger("io.delayqueue.delivery");
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.list = new CopyOnWriteArrayList<>();
		lines.start();
		library.addAppender(lines);
		try {
			schedule("orders", "failing", "fail once");
			SpanData first = traces.await(2, "process orders", "failing").get(0);
			assertThat(lines.list).filteredOn((line) -> line.getFormattedMessage().startsWith("Message 'failing'"))
				.singleElement()
				.satisfies((line) -> assertThat(line.getMDCPropertyMap()).containsEntry("traceId", first.getTraceId()));
		}
		finally {
			library.detachAppender(lines);
		}
	}

	@Test
	void stageEndsItsSpanWhenItCompletesAndOccupiesNoThread() {
		schedule("stages", "done", "x");
		schedule("stages", "broken", "x");
		Awaitility.await().until(() -> HandlerSurroundings.after.size() == 2);
		assertThat(HandlerSurroundings.after).containsOnly("none null");
		assertThat(traces.named("process stages")).isEmpty();

		stage("done").complete(null);
		assertThat(Traces.attribute(traces.await("process stages", "done"), "delayqueue.outcome")).isEqualTo("success");
		stage("broken").completeExceptionally(new IllegalStateException("no way"));
		// The second attempt receives the same stage
		SpanData broken = traces.await(2, "process stages", "broken").get(0);
		assertThat(Traces.attribute(broken, "delayqueue.outcome")).isEqualTo("retry");
		assertThat(broken.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
		assertThat(tracer.currentSpan()).isNull();
	}

	private static CompletableFuture<Void> stage(String id) {
		CompletableFuture<Void> stage = listener.stages.get(id);
		assertThat(stage).isNotNull();
		return stage;
	}

	private static void schedule(String name, String id, String payload) {
		queue.schedule(ScheduleRequest.to(name).payload(payload).id(id).delay(Duration.ZERO));
	}

	private static Map<String, String> attributes(SpanData span) {
		Map<String, String> all = new ConcurrentHashMap<>();
		span.getAttributes().forEach((key, value) -> all.put(key.getKey(), String.valueOf(value)));
		return all;
	}

	private static List<String> exceptions(SpanData span) {
		return span.getEvents()
			.stream()
			.map((event) -> String.valueOf(event.getAttributes().get(AttributeKey.stringKey("exception.stacktrace"))))
			.toList();
	}

}
