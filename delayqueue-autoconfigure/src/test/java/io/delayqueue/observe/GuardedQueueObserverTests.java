package io.delayqueue.observe;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

class GuardedQueueObserverTests {

	static Stream<Method> events() {
		return Arrays.stream(QueueObserver.class.getDeclaredMethods()).filter(Method::isDefault);
	}

	@ParameterizedTest
	@MethodSource("events")
	void everyEventIsPassedOn(Method event) throws Exception {
		List<Object> seen = new ArrayList<>();
		QueueObserver guarded = new GuardedQueueObserver(observer((method, arguments) -> {
			seen.add(method.getName());
			seen.addAll(Arrays.asList(arguments));
		}));
		event.invoke(guarded, arguments(event));

		assertThat(seen).startsWith(event.getName()).endsWith(arguments(event)).hasSize(event.getParameterCount() + 1);
	}

	@ParameterizedTest
	@MethodSource("events")
	void whatTheObserverThrowsEndsHere(Method event) {
		QueueObserver exception = new GuardedQueueObserver(observer((method, arguments) -> {
			throw new IllegalArgumentException("a registry that refuses the meter");
		}));
		QueueObserver error = new GuardedQueueObserver(observer((method, arguments) -> {
			throw new NoClassDefFoundError("a registry of another version");
		}));
		assertThatCode(() -> event.invoke(exception, arguments(event))).doesNotThrowAnyException();
		assertThatCode(() -> event.invoke(exception, arguments(event))).doesNotThrowAnyException();
		assertThatCode(() -> event.invoke(error, arguments(event))).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@MethodSource("events")
	void everyEventIsMetered(Method event) throws Exception {
		assertThat(MicrometerQueueObserver.class.getDeclaredMethod(event.getName(), event.getParameterTypes()))
			.isNotNull();
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
		return Arrays.stream(event.getParameterTypes()).map(GuardedQueueObserverTests::argument).toArray();
	}

	private static Object argument(Class<?> type) {
		if (type == String.class) {
			return "orders";
		}
		if (type == boolean.class) {
			return true;
		}
		if (type == int.class) {
			return 7;
		}
		if (type == Duration.class) {
			return Duration.ofMillis(3);
		}
		if (type.isEnum()) {
			return type.getEnumConstants()[0];
		}
		throw new IllegalStateException("No example of " + type);
	}

}
