package io.delayqueue.observe;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

@ExtendWith(OutputCaptureExtension.class)
class QueueObserversTests {

	static Stream<Method> events() {
		return Arrays.stream(QueueObserver.class.getDeclaredMethods()).filter(Method::isDefault);
	}

	@ParameterizedTest
	@MethodSource("events")
	void everyEventIsDelegated(Method event) throws Exception {
		List<Object> seen = new ArrayList<>();
		QueueObserver guarded = QueueObservers.of(List.of(observer((method, arguments) -> {
			seen.add(method.getName());
			seen.addAll(Arrays.asList(arguments));
		})));
		event.invoke(guarded, arguments(event));

		assertThat(seen).startsWith(event.getName()).endsWith(arguments(event)).hasSize(event.getParameterCount() + 1);
	}

	@ParameterizedTest
	@MethodSource("events")
	void failureOfAnObserverDoesNotAffectTheRemainingObservers(Method event) {
		AtomicInteger notified = new AtomicInteger();
		QueueObserver observers = QueueObservers.of(List.of(observer((method, arguments) -> {
			throw new IllegalArgumentException("a registry that refuses the meter");
		}), observer((method, arguments) -> {
			throw new NoClassDefFoundError("a registry of another version");
		}), observer((method, arguments) -> {
			throw new AssertionError("a filter of meters that is not written yet");
		}), observer((method, arguments) -> notified.incrementAndGet())));
		assertThatCode(() -> event.invoke(observers, arguments(event))).doesNotThrowAnyException();
		assertThatCode(() -> event.invoke(observers, arguments(event))).doesNotThrowAnyException();
		assertThat(notified).hasValue(2);
	}

	@Test
	void onlyTheFirstFailureOfEachObserverIsAWarning(CapturedOutput output) {
		QueueObserver observers = QueueObservers.of(List.of(new Failing(), new AlsoFailing()));
		observers.swept("orders", 1);
		observers.swept("orders", 1);
		assertThat(output.getOut().lines().filter((line) -> line.contains("WARN"))).hasSize(2)
			.anySatisfy((line) -> assertThat(line).contains("$Failing"))
			.anySatisfy((line) -> assertThat(line).contains("$AlsoFailing"));
	}

	/**
	 * Events with a meter. Dead letters are counted by the outcome of their handlers, or
	 * as reclaimed. Operations and holds are published as events and not counted.
	 */
	static Stream<Method> metered() {
		return events().filter((event) -> !Set.of("deadLettered", "paused", "resumed", "operated", "held", "holdEnded")
			.contains(event.getName()));
	}

	@ParameterizedTest
	@MethodSource("metered")
	void everyMeteredEventIsImplemented(Method event) throws Exception {
		assertThat(MicrometerQueueObserver.class.getDeclaredMethod(event.getName(), event.getParameterTypes()))
			.isNotNull();
	}

	private static class Failing implements QueueObserver {

		@Override
		public void swept(String queue, int messages) {
			throw new IllegalStateException("no");
		}

	}

	private static final class AlsoFailing extends Failing {

	}

	@FunctionalInterface
	private interface Reaction {

		void event(Method method, @Nullable Object[] arguments);

	}

	private static QueueObserver observer(Reaction reaction) {
		return (QueueObserver) Proxy.newProxyInstance(QueueObserver.class.getClassLoader(),
				new Class<?>[] { QueueObserver.class }, (proxy, method, arguments) -> {
					reaction.event(method, arguments);
					return null;
				});
	}

	private static Object[] arguments(Method event) {
		return Arrays.stream(event.getParameterTypes()).map(QueueObserversTests::argument).toArray();
	}

	private static Object argument(Class<?> type) {
		if (type == String.class) {
			return "orders";
		}
		if (type == StoredId.class) {
			return new StoredId("a", "g");
		}
		if (type == boolean.class) {
			return true;
		}
		if (type == IntSupplier.class) {
			return (IntSupplier) () -> 7;
		}
		if (type == int.class) {
			return 7;
		}
		if (type == long.class) {
			return 7L;
		}
		if (type == Duration.class) {
			return Duration.ofMillis(3);
		}
		if (type == List.class) {
			return List.of("a", "b");
		}
		if (type == DelayQueueOperatedEvent.class) {
			return new DelayQueueOperatedEvent("orders", Action.PAUSE, null, null, "alice", 0, "the queue is paused");
		}
		if (type == QueueHold.class) {
			return new QueueHold("orders", null, Instant.EPOCH, By.HANDLER, "worker-1", "429");
		}
		if (type.isEnum()) {
			return type.getEnumConstants()[0];
		}
		throw new IllegalStateException("No example of " + type);
	}

}
