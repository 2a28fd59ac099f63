package io.delayqueue.listener;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.DelayedMessage;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Listeners with error handlers and interceptors that record their calls.
 */
@SuppressWarnings("NullAway.Init")
abstract class SurroundedListeners {

	private ListenerApplication application;

	Recorded recorded;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.with(Listeners.class, Handlers.class, Recorded.class)
			.property("own.interceptors", "inner, outer")
			.property("own.error-handler", "rescuing")
			.start();
		this.recorded = this.application.bean(Recorded.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Nullable CompletionStage<?> deliver(String queue, String payload) throws Throwable {
		return this.application.deliver(TestDelivery.of(queue, payload));
	}

	static DelayedListenerInterceptor around(String name, Recorded recorded) {
		return (message, next) -> {
			recorded.events.add(name + " begins");
			try {
				return next.proceed();
			}
			finally {
				recorded.events.add(name + " ends");
			}
		};
	}

	static class Recorded {

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

		private final Recorded recorded;

		Listeners(Recorded recorded) {
			this.recorded = recorded;
		}

		@DelayedListener(queue = "plain")
		void plain(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "rescued", errorHandler = "${own.error-handler:rescuing}")
		void rescued(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "translated", errorHandler = "#{'trans' + 'lating'}")
		void translated(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "rescued-stage", errorHandler = "rescuing")
		CompletionStage<String> rescuedStage(int payload) {
			return this.recorded.stage;
		}

		@DelayedListener(queue = "translated-stage", errorHandler = "translating")
		CompletionStage<String> translatedStage(int payload) {
			return this.recorded.stage;
		}

		@DelayedListener(queue = "ordered", interceptors = { "outer", "inner" }, errorHandler = "rescuing")
		void ordered(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "listed", interceptors = { "${own.interceptors:inner,outer}", "#{'skipping'}" })
		void listed(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "skipped", interceptors = "skipping")
		void skipped(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "repeated", interceptors = "repeating")
		void repeated(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "thrown", interceptors = "throwing", errorHandler = "rescuing")
		void thrown(int payload) {
			this.recorded.listener();
		}

		@DelayedListener(queue = "forgotten-stage", interceptors = "forgetting")
		CompletionStage<String> forgottenStage(int payload) {
			return this.recorded.stage;
		}

		@DelayedListener(queue = "timed-stage", interceptors = "timing")
		CompletionStage<String> timedStage(int payload) {
			return this.recorded.stage;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Handlers {

		@Bean
		DelayedListenerErrorHandler rescuing(Recorded recorded) {
			return (message, failure) -> {
				recorded.messages.add(message);
				recorded.payloads.add(new String(message.payload(), StandardCharsets.UTF_8));
				recorded.failures.add(failure);
				recorded.events.add("rescued " + failure.getClass().getSimpleName());
			};
		}

		@Bean
		DelayedListenerErrorHandler translating(Recorded recorded) {
			return (message, failure) -> {
				throw recorded.translation;
			};
		}

		@Bean
		DelayedListenerInterceptor outer(Recorded recorded) {
			return around("outer", recorded);
		}

		@Bean
		DelayedListenerInterceptor inner(Recorded recorded) {
			return around("inner", recorded);
		}

		@Bean
		DelayedListenerInterceptor skipping(Recorded recorded) {
			return (message, next) -> {
				recorded.events.add("skipping");
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
		DelayedListenerInterceptor throwing(Recorded recorded) {
			return (message, next) -> {
				throw recorded.translation;
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
		DelayedListenerInterceptor timing(Recorded recorded) {
			return (message, next) -> {
				recorded.events.add("begins");
				CompletionStage<?> stage = next.proceed();
				return (stage != null) ? stage.whenComplete((ignored, failure) -> recorded.events.add("ends")) : null;
			};
		}

	}

}
