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
 * What interceptors make of a delivery, and who is around whom.
 */
class DelayedListenerInterceptionTests extends SurroundedListeners {

	@Test
	void interceptorsAreAroundTheErrorHandlerInTheOrderInWhichTheyAreWritten() throws Throwable {
		deliver("ordered", "0");
		assertThat(this.told.events).containsExactly("outer begins", "inner begins", "listener",
				"rescued IllegalStateException", "inner ends", "outer ends");
	}

	@Test
	void namesMayComeFromAList() throws Throwable {
		deliver("listed", "0");
		assertThat(this.told.events).containsExactly("inner begins", "outer begins", "skipping", "outer ends",
				"inner ends");
	}

	@Test
	void anInterceptorSeesMessagesThatCannotBeConverted() throws Throwable {
		deliver("ordered", "{no json");
		assertThat(this.told.events).containsExactly("outer begins", "inner begins",
				"rescued UnreadableMessageException", "inner ends", "outer ends");
		assertThat(this.told.payloads).containsExactly("{no json");
	}

	@Test
	void anInterceptorThatDoesNotProceedDecidesAlone() throws Throwable {
		assertThat(deliver("skipped", "0")).isNull();
		assertThat(this.told.events).containsExactly("skipping");
	}

	@Test
	void anInterceptorMayProceedAgain() throws Throwable {
		deliver("repeated", "0");
		assertThat(this.told.events).containsExactly("listener", "listener");
	}

	@Test
	void whatAnInterceptorThrowsIsNotForTheErrorHandler() {
		assertThat(catchThrowable(() -> deliver("thrown", "0"))).isSameAs(this.told.translation);
		assertThat(this.told.failures).isEmpty();
	}

	@Test
	void anInterceptorMayPutItsOwnStageAroundThatOfTheListener() throws Throwable {
		CompletionStage<?> stage = deliver("timed-stage", "0");
		assertThat(this.told.events).containsExactly("begins");
		this.told.stage.complete("done");
		assertThat(this.told.events).containsExactly("begins", "ends");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isCompleted();
	}

	@Test
	void anInterceptorThatForgetsTheStageOfTheListenerAcknowledgesNothing() throws Throwable {
		CompletionStage<?> stage = deliver("forgotten-stage", "0");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isNotDone();
		this.told.stage.completeExceptionally(this.told.translation);
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO);
	}

	@Test
	void anInterceptorThatHasWaitedForTheStageOfTheListenerDecides() throws Throwable {
		this.told.stage.completeExceptionally(this.told.translation);
		assertThat(deliver("forgotten-stage", "0")).isNull();
	}

	@Test
	void customizersAreCalledInTheirOrderAndWhatTheAnnotationNamesIsWithinOrRules() throws Throwable {
		try (ListenerApplication customized = ListenerApplication.start(Listeners.class, Handlers.class, Told.class,
				Customizers.class)) {
			this.told = customized.bean(Told.class);
			customized.deliver(TestDelivery.of("plain", "0"));
			assertThat(this.told.events).containsExactly("first of plain begins", "second begins", "listener",
					"second rescues", "second ends", "first of plain ends");

			this.told.events.clear();
			customized.deliver(TestDelivery.of("ordered", "0"));
			assertThat(this.told.events).containsExactly("first of ordered begins", "second begins", "outer begins",
					"inner begins", "listener", "rescued IllegalStateException", "inner ends", "outer ends",
					"second ends", "first of ordered ends");
		}
	}

	@Test
	void withoutAnyOfThemAFailureComesThrough() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> deliver("plain", "0"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Customizers {

		@Bean
		@Order(2)
		DelayedListenerContainerCustomizer second(Told told) {
			return (container) -> container.interceptor(around("second", told))
				.errorHandler((message, failure) -> told.events.add("second rescues"));
		}

		@Bean
		@Order(1)
		DelayedListenerContainerCustomizer first(Told told) {
			return (container) -> container.interceptor(around("first of " + container.id(), told))
				.errorHandler((message, failure) -> told.events.add("first rescues"));
		}

	}

}
