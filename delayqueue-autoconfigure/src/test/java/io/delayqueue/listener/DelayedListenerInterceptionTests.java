package io.delayqueue.listener;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.DelayedMessage;
import io.delayqueue.UnreadableMessageException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * What error handlers and interceptors make of a delivery, and who is around whom.
 */
@SuppressWarnings("NullAway.Init")
class DelayedListenerInterceptionTests {

	private ListenerApplication application;

	private Told told;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.with(Listeners.class, Handlers.class, Told.class)
			.property("own.interceptors", "inner, outer")
			.property("own.error-handler", "rescuing")
			.start();
		this.told = this.application.bean(Told.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void aNormalReturnOfTheErrorHandlerMeansThatTheMessageIsDone() throws Throwable {
		assertThat(deliver("rescued", "4711")).isNull();

		assertThat(this.told.failures).singleElement().isSameAs(this.told.failure);
		assertThat(this.told.payloads).containsExactly("4711");
		assertThat(this.told.messages.get(0)).satisfies((message) -> {
			assertThat(message.queue()).isEqualTo("rescued");
			assertThat(message.id()).isEqualTo("id-1");
			assertThat(message.attempt()).isEqualTo(1);
		});
	}

	@Test
	void whatTheErrorHandlerThrowsTakesThePlaceOfTheFailure() {
		assertThat(catchThrowable(() -> deliver("translated", "0"))).isSameAs(this.told.translation);
	}

	@Test
	void aMessageThatCannotBeConvertedReachesTheErrorHandlerAsItIs() throws Throwable {
		assertThat(deliver("rescued", "{no json")).isNull();

		assertThat(this.told.payloads).containsExactly("{no json");
		assertThat(this.told.failures).singleElement().isInstanceOf(UnreadableMessageException.class);
	}

	@Test
	void aSuccessIsNoMatterForTheErrorHandler() throws Throwable {
		this.told.failure = null;
		deliver("rescued", "0");
		CompletionStage<?> stage = deliver("rescued-stage", "0");
		this.told.stage.complete("done");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isCompleted();
		assertThat(this.told.failures).isEmpty();
	}

	@Test
	void aStageThatFailsIsRescuedToo() throws Throwable {
		CompletionStage<?> stage = deliver("rescued-stage", "0");
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).isNotDone();

		this.told.stage.completeExceptionally(new CompletionException(this.told.translation));

		assertThat(stage.toCompletableFuture()).isCompleted();
		assertThat(this.told.failures).containsExactly(this.told.translation);
	}

	@Test
	void aStageThatFailsMayFailOfSomethingElse() throws Throwable {
		CompletionStage<?> stage = deliver("translated-stage", "0");
		this.told.stage.completeExceptionally(this.told.failure);

		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isSameAs(this.told.translation);
	}

	@Test
	void aListenerThatDefersHasNotFailed() throws Throwable {
		DeferException defer = new DeferException(Duration.ofSeconds(1));
		this.told.failure = defer;
		assertThat(catchThrowable(() -> deliver("rescued", "0"))).isSameAs(defer);

		CompletionStage<?> stage = deliver("rescued-stage", "0");
		this.told.stage.completeExceptionally(defer);
		assertThat(stage).isNotNull();
		assertThat(stage.toCompletableFuture()).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isSameAs(defer);
		assertThat(this.told.failures).isEmpty();
	}

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

	private @Nullable CompletionStage<?> deliver(String queue, String payload) throws Throwable {
		return this.application.deliver(TestDelivery.of(queue, payload));
	}

	static class Told {

		final List<String> events = new ArrayList<>();

		final List<DelayedMessage<byte[]>> messages = new ArrayList<>();

		final List<String> payloads = new ArrayList<>();

		final List<Throwable> failures = new ArrayList<>();

		final CompletableFuture<String> stage = new CompletableFuture<>();

		final Throwable translation = new Throwable("translation");

		@Nullable RuntimeException failure = new IllegalStateException("failure");

		void listener() {
			this.events.add("listener");
			if (this.failure != null) {
				throw this.failure;
			}
		}

	}

	static class Listeners {

		private final Told told;

		Listeners(Told told) {
			this.told = told;
		}

		@DelayedListener(queue = "plain")
		void plain(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "rescued", errorHandler = "${own.error-handler:rescuing}")
		void rescued(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "translated", errorHandler = "#{'trans' + 'lating'}")
		void translated(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "rescued-stage", errorHandler = "rescuing")
		CompletionStage<String> rescuedStage(int payload) {
			return this.told.stage;
		}

		@DelayedListener(queue = "translated-stage", errorHandler = "translating")
		CompletionStage<String> translatedStage(int payload) {
			return this.told.stage;
		}

		@DelayedListener(queue = "ordered", interceptors = { "outer", "inner" }, errorHandler = "rescuing")
		void ordered(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "listed", interceptors = { "${own.interceptors:inner,outer}", "#{'skipping'}" })
		void listed(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "skipped", interceptors = "skipping")
		void skipped(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "repeated", interceptors = "repeating")
		void repeated(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "thrown", interceptors = "throwing", errorHandler = "rescuing")
		void thrown(int payload) {
			this.told.listener();
		}

		@DelayedListener(queue = "forgotten-stage", interceptors = "forgetting")
		CompletionStage<String> forgottenStage(int payload) {
			return this.told.stage;
		}

		@DelayedListener(queue = "timed-stage", interceptors = "timing")
		CompletionStage<String> timedStage(int payload) {
			return this.told.stage;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Handlers {

		@Bean
		DelayedListenerErrorHandler rescuing(Told told) {
			return (message, failure) -> {
				told.messages.add(message);
				told.payloads.add(new String(message.payload(), StandardCharsets.UTF_8));
				told.failures.add(failure);
				told.events.add("rescued " + failure.getClass().getSimpleName());
			};
		}

		@Bean
		DelayedListenerErrorHandler translating(Told told) {
			return (message, failure) -> {
				throw told.translation;
			};
		}

		@Bean
		DelayedListenerInterceptor outer(Told told) {
			return around("outer", told);
		}

		@Bean
		DelayedListenerInterceptor inner(Told told) {
			return around("inner", told);
		}

		@Bean
		DelayedListenerInterceptor skipping(Told told) {
			return (message, next) -> {
				told.events.add("skipping");
				return null;
			};
		}

		@Bean
		DelayedListenerInterceptor repeating() {
			return (message, next) -> {
				try {
					return next.proceed();
				}
				catch (IllegalStateException ex) {
					try {
						return next.proceed();
					}
					catch (IllegalStateException again) {
						return null;
					}
				}
			};
		}

		@Bean
		DelayedListenerInterceptor throwing(Told told) {
			return (message, next) -> {
				throw told.translation;
			};
		}

		@Bean
		DelayedListenerInterceptor forgetting() {
			return (message, next) -> {
				next.proceed();
				return null;
			};
		}

		@Bean
		DelayedListenerInterceptor timing(Told told) {
			return (message, next) -> {
				told.events.add("begins");
				CompletionStage<?> stage = next.proceed();
				return (stage != null) ? stage.whenComplete((ignored, failure) -> told.events.add("ends")) : null;
			};
		}

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

	private static DelayedListenerInterceptor around(String name, Told told) {
		return (message, next) -> {
			told.events.add(name + " begins");
			try {
				return next.proceed();
			}
			finally {
				told.events.add(name + " ends");
			}
		};
	}

}
