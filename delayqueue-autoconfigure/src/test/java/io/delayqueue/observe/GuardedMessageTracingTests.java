package io.delayqueue.observe;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class GuardedMessageTracingTests {

	private static final ScheduleRequest REQUEST = ScheduleRequest.to("orders").payload("x").delay(Duration.ZERO);

	private static final Map<String, String> OWN = Map.of("own", "header");

	private final List<String> calls = new ArrayList<>();

	@Test
	void allCallsAreDelegated() {
		spans(new GuardedMessageTracing(tracing(span(this.calls)))).forEach(GuardedMessageTracingTests::use);

		List<String> once = List.of("open", "close", "headers", "message", "outcome", "failed", "end");
		assertThat(this.calls)
			.containsExactlyElementsOf(Stream.of(once, once, once, once).flatMap(List::stream).toList());
	}

	@Test
	void failingSpanIsLoggedAsWarningOnceAndDoesNotAffectTheCaller(CapturedOutput output) {
		MessageSpan broken = proxy(MessageSpan.class, (name) -> {
			throw new IllegalStateException("no span");
		});
		spans(new GuardedMessageTracing(tracing(broken))).forEach(GuardedMessageTracingTests::use);

		assertThat(output.getOut().split("no span", -1)).as("logged once with its stack trace").hasSize(2);
		assertThat(output).contains("traces have gaps");
	}

	@Test
	void failingTracingBeginsNoSpan() {
		MessageTracing broken = proxy(MessageTracing.class, (name) -> {
			throw new NoClassDefFoundError("another version");
		});
		assertThat(spans(new GuardedMessageTracing(broken))).containsOnly(MessageSpan.NONE);
	}

	@Test
	void disabledTracingBeginsNoSpan() {
		assertThat(spans(new GuardedMessageTracing(MessageTracing.NONE))).containsOnly(MessageSpan.NONE);
		assertThat(MessageSpan.NONE.headers(OWN)).isSameAs(OWN);
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
		span.failed(new IllegalStateException());
		span.end();
	}

	private static MessageTracing tracing(MessageSpan span) {
		return proxy(MessageTracing.class, (name) -> span);
	}

	private static MessageSpan span(List<String> calls) {
		return proxy(MessageSpan.class, (name) -> {
			calls.add(name);
			return switch (name) {
				case "open" -> (MessageSpan.Scope) () -> calls.add("close");
				case "headers" -> OWN;
				default -> "";
			};
		});
	}

	private static <T> T proxy(Class<T> type, Answer answer) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> answer.to(method.getName())));
	}

	private interface Answer {

		Object to(String method);

	}

}
