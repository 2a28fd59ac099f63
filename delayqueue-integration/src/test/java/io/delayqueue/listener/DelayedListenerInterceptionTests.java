package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Interceptors: order of the calls and outcome of a delivery.
 */
class DelayedListenerInterceptionTests extends SurroundedListeners {

	@Test
	void interceptorsRunInDeclarationOrderOutsideTheErrorHandler() throws Throwable {
		deliver("ordered", "0");
		assertThat(this.recorded.events).containsExactly("outer begins", "inner begins", "listener",
				"rescued IllegalStateException", "inner ends", "outer ends");
	}

	@Test
	void interceptorsMayBeACommaSeparatedList() throws Throwable {
		deliver("listed", "0");
		assertThat(this.recorded.events).containsExactly("inner begins", "outer begins", "skipping", "outer ends",
				"inner ends");
	}

	@Test
	void interceptorsAreCalledForUnreadableMessages() throws Throwable {
		deliver("ordered", "{no json");
		assertThat(this.recorded.events).containsExactly("outer begins", "inner begins",
				"rescued UnreadableMessageException", "inner ends", "outer ends");
		assertThat(this.recorded.payloads).containsExactly("{no json");
	}

	@Test
	void messageIsAcknowledgedWhenAnInterceptorDoesNotProceed() throws Throwable {
		assertThat(deliver("skipped", "0")).isNull();
		assertThat(this.recorded.events).containsExactly("skipping");
	}

	@Test
	void anInterceptorMayProceedAgain() throws Throwable {
		deliver("repeated", "0");
		assertThat(this.recorded.events).containsExactly("listener", "listener");
	}

	@Test
	void errorHandlerIsNotCalledForAnExceptionOfAnInterceptor() {
		assertThat(catchThrowable(() -> deliver("thrown", "0"))).isSameAs(this.recorded.translation);
		assertThat(this.recorded.failures).isEmpty();
	}

	@Test
	void anInterceptorMayReturnADerivedStage() throws Throwable {
		CompletionStage<?> stage = deliver("timed-stage", "0");
		assertThat(this.recorded.events).containsExactly("begins");
		this.recorded.stage.complete("done");
		assertThat(this.recorded.events).containsExactly("begins", "ends");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isCompleted();
	}

	@Test
	void stageOfTheListenerCountsWhenAnInterceptorReturnsNull() throws Throwable {
		CompletionStage<?> stage = deliver("forgotten-stage", "0");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isNotDone();
		this.recorded.stage.completeExceptionally(this.recorded.translation);
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO);
	}

	@Test
	void nullAfterACompletedStageAcknowledgesTheMessage() throws Throwable {
		this.recorded.stage.completeExceptionally(this.recorded.translation);
		assertThat(deliver("forgotten-stage", "0")).isNull();
	}

	@Test
	void customizersApplyInOrderOutsideOfTheAnnotation() throws Throwable {
		try (ListenerApplication customized = ListenerApplication.start(Listeners.class, Handlers.class, Recorded.class,
				Customizers.class)) {
			this.recorded = customized.bean(Recorded.class);
			customized.deliver(TestDelivery.of("plain", "0"));
			assertThat(this.recorded.events).containsExactly("first of plain begins", "second begins", "listener",
					"second rescues", "second ends", "first of plain ends");

			this.recorded.events.clear();
			customized.deliver(TestDelivery.of("ordered", "0"));
			assertThat(this.recorded.events).containsExactly("first of ordered begins", "second begins", "outer begins",
					"inner begins", "listener", "rescued IllegalStateException", "inner ends", "outer ends",
					"second ends", "first of ordered ends");
		}
	}

	@Test
	void withoutErrorHandlerTheFailureIsThrown() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> deliver("plain", "0"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Customizers {

		@Bean
		@Order(2)
		DelayedListenerContainerCustomizer second(Recorded recorded) {
			return (container) -> container.interceptor(around("second", recorded))
				.errorHandler((message, failure) -> recorded.events.add("second rescues"));
		}

		@Bean
		@Order(1)
		DelayedListenerContainerCustomizer first(Recorded recorded) {
			return (container) -> container.interceptor(around("first of " + container.id(), recorded))
				.errorHandler((message, failure) -> recorded.events.add("first rescues"));
		}

	}

}
