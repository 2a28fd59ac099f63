package io.delayqueue.listener;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static io.delayqueue.listener.fixture.ListenerFaults.faults;
import static io.delayqueue.listener.fixture.ListenerFaults.onlyFault;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Invalid methods that fail the start, and the reported faults.
 */
class DelayedListenerMethodFaultTests {

	private static final String HERE = DelayedListenerMethodFaultTests.class.getName() + "$";

	@Test
	void returnTypesThatAreNotAwaitedAreRejected() {
		assertThat(onlyFault(ReturnsMono.class).problem())
			.isEqualTo("returns reactor.core.publisher.Mono, which is not awaited");
		assertThat(onlyFault(ReturnsPublisher.class).problem()).contains("org.reactivestreams.Publisher");
		assertThat(onlyFault(ReturnsFlow.class).problem()).contains("Flow$Publisher");
		assertThat(onlyFault(ReturnsFuture.class).problem()).contains("java.util.concurrent.Future");
		assertThat(onlyFault(ReturnsFuture.class).fix()).contains("CompletionStage");
	}

	@Test
	void asyncMethodThatReturnsVoidIsRejected() {
		List<Fault> faults = faults(AsyncListener.class, Asynchronous.class);
		assertThat(faults).extracting(Fault::method).containsExactly(HERE + "AsyncListener.forgotten(String)");
		assertThat(faults.get(0).problem())
			.isEqualTo("is @Async but returns void: its messages would be acknowledged before they are handled");
	}

	@Test
	void suspendFunctionIsRejected() throws Exception {
		ClassLoader loader = getClass().getClassLoader();
		Class<?> continuation = new ByteBuddy().makeInterface()
			.name("kotlin.coroutines.Continuation")
			.make()
			.load(loader, ClassLoadingStrategy.Default.WRAPPER)
			.getLoaded();
		Class<?> suspending = new ByteBuddy().subclass(Object.class)
			.name("io.delayqueue.listener.SuspendingListener")
			.defineMethod("on", Object.class, Visibility.PUBLIC)
			.withParameters(String.class, continuation)
			.intercept(FixedValue.nullValue())
			.annotateMethod(AnnotationDescription.Builder.ofType(DelayedListener.class)
				.defineArray("queue", "suspending")
				.build())
			.make()
			.load(continuation.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
			.getLoaded();
		assertThat(onlyFault(suspending).problem()).isEqualTo("is a suspend function, whose completion is not awaited");
	}

	@Test
	void moreThanOnePayloadIsRejected() {
		Fault fault = onlyFault(TwoPayloads.class);
		assertThat(fault.attribute()).isNull();
		assertThat(fault.problem()).isEqualTo("takes more than one payload: String, Integer");
		assertThat(fault.fix()).contains("@Header");
	}

	@Test
	void payloadWithAnExpressionIsRejected() {
		assertThat(onlyFault(PayloadExpression.class).problem()).contains("@Payload with an expression");
	}

	@Test
	void headerWithoutANameIsRejected() {
		Class<?> nameless = new ByteBuddy().subclass(Object.class)
			.name("io.delayqueue.listener.NamelessListener")
			.defineMethod("on", void.class, Visibility.PUBLIC)
			.withParameter(String.class)
			.annotateParameter(AnnotationDescription.Builder.ofType(Header.class).build())
			.intercept(StubMethod.INSTANCE)
			.annotateMethod(
					AnnotationDescription.Builder.ofType(DelayedListener.class).defineArray("queue", "q").build())
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
			.getLoaded();
		assertThat(onlyFault(nameless).problem()).isEqualTo("has a @Header without a name on parameter 0");
	}

	@Test
	void staticMethodIsRejected() {
		assertThat(onlyFault(StaticMethod.class).problem()).isEqualTo("is static");
	}

	static class ReturnsMono {

		@DelayedListener(queue = "mono")
		Mono<Void> on(String payload) {
			return Mono.empty();
		}

	}

	static class ReturnsPublisher {

		@DelayedListener(queue = "publisher")
		Publisher<Void> on(String payload) {
			return Mono.empty();
		}

	}

	static class ReturnsFlow {

		@DelayedListener(queue = "flow")
		Flow.Publisher<Void> on(String payload) {
			return (subscriber) -> {
			};
		}

	}

	static class ReturnsFuture {

		@DelayedListener(queue = "future")
		Future<?> on(String payload) {
			return new CompletableFuture<>();
		}

	}

	static class AsyncListener {

		@Async
		@DelayedListener(queue = "forgotten")
		void forgotten(String payload) {
		}

		@Async
		@DelayedListener(queue = "awaited")
		CompletableFuture<Void> awaited(String payload) {
			return CompletableFuture.completedFuture(null);
		}

		@DelayedListener(queue = "synchronous")
		void synchronous(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class Asynchronous {

	}

	static class TwoPayloads {

		@DelayedListener(queue = "two")
		void on(String one, Integer two, @Header("three") String three) {
		}

	}

	static class PayloadExpression {

		@DelayedListener(queue = "expression")
		void on(@Payload("cents") int cents) {
		}

	}

	static class StaticMethod {

		@DelayedListener(queue = "static")
		static void on(String payload) {
		}

	}

}
