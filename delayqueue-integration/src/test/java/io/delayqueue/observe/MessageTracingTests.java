package io.delayqueue.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.observe.DelayQueueObservation.HighCardinalityKey;
import io.delayqueue.observe.DelayQueueObservation.LowCardinalityKey;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class MessageTracingTests {

	private static final ScheduleRequest REQUEST = ScheduleRequest.to("orders").payload("x").delay(Duration.ZERO);

	private static final Map<String, String> OWN = Map.of("own", "header");

	private final List<String> calls = new ArrayList<>();

	private final List<Observation.Context> stopped = new ArrayList<>();

	@Test
	void allCallsReachTheObservation() {
		spans(tracing(this.calls::add)).forEach(MessageTracingTests::use);

		List<String> once = List.of("open", "close", "failed", "end");
		assertThat(this.calls).startsWith("start", "start", "start", "start")
			.endsWith(Stream.of(once, once, once, once).flatMap(List::stream).toArray(String[]::new))
			.hasSize(20);
		assertThat(this.stopped).hasSize(4).allSatisfy((context) -> {
			assertThat(context.getHighCardinalityKeyValue(HighCardinalityKey.MESSAGE_ID.asString()).getValue())
				.isEqualTo("o-1");
			assertThat(context.getLowCardinalityKeyValue(LowCardinalityKey.OUTCOME.asString()).getValue())
				.isEqualTo("retry");
			assertThat(context.getError()).hasMessage("first");
		});
	}

	@Test
	void failingSpanIsLoggedAsWarningOnceAndDoesNotAffectTheCaller(CapturedOutput output) {
		spans(tracing((call) -> {
			this.calls.add(call);
			if (!call.equals("start")) {
				throw new IllegalStateException("no span");
			}
		})).forEach(MessageTracingTests::use);

		assertThat(this.calls).contains("open", "failed", "end");
		assertThat(output.getOut().split("no span", -1)).as("logged once with its stack trace").hasSize(2);
		assertThat(output).contains("traces have gaps");
	}

	@Test
	void failingTracingBeginsNoSpan() {
		assertThat(spans(tracing((call) -> {
			throw new NoClassDefFoundError("another version");
		}))).containsOnly(MessageSpan.NONE);
	}

	@Test
	void disabledTracingBeginsNoSpan() {
		assertThat(spans(MessageTracing.NONE)).containsOnly(MessageSpan.NONE);
		assertThat(MessageSpan.NONE.headers(OWN)).isSameAs(OWN);
		use(MessageSpan.NONE);
	}

	private static Stream<MessageSpan> spans(MessageTracing tracing) {
		return Stream.of(tracing.scheduling(REQUEST), tracing.scheduling(List.of(REQUEST)),
				tracing.processing("orders", "o-1", 1, OWN),
				tracing.processing("orders", List.of("o-1"), (id) -> id, (id) -> OWN));
	}

	private static void use(MessageSpan span) {
		assertThat(span.<String, RuntimeException>during(() -> "result")).isEqualTo("result");
		assertThat(span.headers(OWN)).isEqualTo(OWN);
		span.message("o-1");
		span.outcome(HandlerOutcome.RETRY);
		span.failed(new IllegalStateException("first"));
		span.failed(new IllegalStateException("second"));
		span.end();
		span.end();
	}

	private MessageTracing tracing(Consumer<String> reaction) {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public void onStart(Observation.Context context) {
				reaction.accept("start");
			}

			@Override
			public void onScopeOpened(Observation.Context context) {
				reaction.accept("open");
			}

			@Override
			public void onScopeClosed(Observation.Context context) {
				reaction.accept("close");
			}

			@Override
			public void onError(Observation.Context context) {
				reaction.accept("failed");
			}

			@Override
			public void onStop(Observation.Context context) {
				MessageTracingTests.this.stopped.add(context);
				reaction.accept("end");
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
		return new MessageTracing(registry);
	}

}
