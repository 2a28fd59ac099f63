package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.journey.fixture.Traces;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The spans of messages that are scheduled or handled together. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class BatchTracingIntegrationTests {

	private TestApplication application;

	private Traces traces;

	private DelayQueueOperations queue;

	private Listener listener;

	@BeforeEach
	void start() {
		this.application = Traces.application().with("delayqueue.queues.large.concurrency=200");
		ConfigurableApplicationContext context = this.application.start(Traces.class, Listener.class);
		this.traces = context.getBean(Traces.class);
		this.queue = context.getBean(DelayQueueOperations.class);
		this.listener = context.getBean(Listener.class);
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	static class Listener {

		/** The trace of each batch, by its size. */
		final Map<Integer, String> traces = new ConcurrentHashMap<>();

		@DelayedListener(queue = "small", batch = "3", batchWait = "9s")
		void handle(List<DelayedMessage<String>> batch) {
			this.traces.put(batch.size(), MDC.get("traceId"));
			BatchFailedException failures = new BatchFailedException();
			batch.stream()
				.filter((message) -> message.payload().equals("fail"))
				.forEach((message) -> failures.failed(message.id(), new IllegalStateException("no way")));
			if (!failures.failures().isEmpty()) {
				throw failures;
			}
		}

		@DelayedListener(queue = "large", batch = "130", batchWait = "9s")
		void large(List<String> batch) {
		}

		@DelayedListener(queue = "numbers", batch = "2", batchWait = "9s")
		void numbers(List<Integer> batch) {
		}

	}

	@Test
	void callThatSchedulesManyMessagesHasOneSpan() {
		this.queue.scheduleAll(List.of(later("one", "a"), later("one", "b")));
		this.queue.scheduleAll(List.of(later("one", "c"), later("another", "d")));
		this.queue.scheduleAll(List.of());

		SpanData same = this.traces.await(1, (span) -> span.getName().equals("schedule one")).get(0);
		assertThat(same.getKind()).isEqualTo(SpanKind.PRODUCER);
		assertThat(Traces.attribute(same, "messaging.batch.message_count")).isEqualTo("2");
		assertThat(Traces.attribute(same, "delayqueue.outcome")).isEqualTo("created");
		SpanData different = this.traces.await(1, (span) -> span.getName().equals("schedule")).get(0);
		assertThat(Traces.attribute(different, "messaging.destination.name")).isEqualTo("none");
		for (String id : List.of("a", "b")) {
			assertThat(headers("one", id)).isEqualTo(Map.of("traceparent", Traces.traceparent(same)));
		}
		assertThat(headers("another", "d")).isEqualTo(Map.of("traceparent", Traces.traceparent(different)));
	}

	@Test
	void rejectedMessageOfABulkCallIsAnError() {
		this.queue.schedule(later("one", "known"));
		this.queue.scheduleAll(List.of(later("one", "new"), later("one", "known").onDuplicate(DuplicatePolicy.fail())));

		SpanData both = this.traces
			.await(1,
					(span) -> span.getName().equals("schedule one")
							&& "2".equals(Traces.attribute(span, "messaging.batch.message_count")))
			.get(0);
		assertThat(Traces.attribute(both, "delayqueue.outcome")).isEqualTo("mixed");
		assertThat(both.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
	}

	@Test
	void spanOfABatchIsLinkedToTheSchedulingSpanOfEachMessage() {
		List.of("a", "b", "c").forEach((id) -> this.queue.schedule(now("small", id, "x")));

		SpanData batch = this.traces.await(1, (span) -> span.getName().equals("process small")).get(0);
		assertThat(batch.getKind()).isEqualTo(SpanKind.CONSUMER);
		assertThat(batch.getParentSpanContext().isValid()).isFalse();
		assertThat(Traces.attribute(batch, "messaging.batch.message_count")).isEqualTo("3");
		assertThat(Traces.attribute(batch, "delayqueue.outcome")).isEqualTo("success");
		assertThat(this.listener.traces).containsEntry(3, batch.getTraceId());
		assertThat(batch.getLinks()).hasSize(3).allSatisfy((link) -> {
			String id = link.getAttributes().get(AttributeKey.stringKey(Traces.MESSAGE_ID));
			assertThat(id).isNotNull();
			assertThat(link.getSpanContext().getSpanId())
				.isEqualTo(this.traces.await("schedule small", id).getSpanId());
		});
	}

	@Test
	void failedMessageIsAnErrorOfTheSpanOfItsBatchAndIsRedeliveredAlone() {
		this.queue.schedule(now("small", "a", "x"));
		this.queue.schedule(now("small", "b", "fail"));
		this.queue.schedule(now("small", "c", "x"));

		List<SpanData> spans = this.traces.await(2, (span) -> span.getName().equals("process small"));
		// The span of the batch ends after its settlements, possibly after that of the
		// single message
		assertThat(spans).extracting((span) -> Traces.attribute(span, "delayqueue.outcome"))
			.containsExactlyInAnyOrder("mixed", "failure");
		assertThat(spans).extracting((span) -> span.getStatus().getStatusCode()).containsOnly(StatusCode.ERROR);
		assertThat(spans).filteredOn((span) -> "failure".equals(Traces.attribute(span, "delayqueue.outcome")))
			.singleElement()
			.satisfies((alone) -> assertThat(alone.getLinks()).hasSize(1));
	}

	@Test
	void unreadableMessageIsReportedByTheSpanOfItsBatch() {
		this.queue.schedule(now("numbers", "a", "secret"));
		this.queue.schedule(now("numbers", "b", "secret"));

		SpanData batch = this.traces.await(1, (span) -> span.getName().equals("process numbers")).get(0);
		assertThat(Traces.attribute(batch, "delayqueue.outcome")).isEqualTo("unreadable");
		assertThat(batch.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
		assertThat(batch.getEvents().toString()).doesNotContain("secret");
	}

	@Test
	void largeBatchIsLinkedToItsFirstMessages() {
		this.queue.scheduleAll(IntStream.range(0, 130)
			.mapToObj((number) -> now("large", String.format("%03d", number), "x"))
			.toList());

		SpanData batch = this.traces.await(1, (span) -> span.getName().equals("process large")).get(0);
		assertThat(Traces.attribute(batch, "messaging.batch.message_count")).isEqualTo("130");
		assertThat(batch.getLinks()).hasSize(128);
		assertThat(batch.getTotalRecordedLinks()).as("not cut off by the tracer").isEqualTo(128);
	}

	private Map<String, String> headers(String name, String id) {
		return this.queue.find(name, id).orElseThrow().headers();
	}

	private static ScheduleRequest later(String name, String id) {
		return ScheduleRequest.to(name).payload("x").id(id).delay(Duration.ofHours(1));
	}

	private static ScheduleRequest now(String name, String id, String payload) {
		return ScheduleRequest.to(name).payload(payload).id(id).delay(Duration.ZERO);
	}

}
