package io.delayqueue.listener;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.fixture.InMemoryConsumers.InMemoryConsumer;
import io.delayqueue.listener.fixture.ListenerApplication;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Effect and syntax of the attributes of the annotation.
 */
class DelayedListenerAttributeTests {

	@Test
	void withoutAttributesTheQueueSettingsApply() {
		try (ListenerApplication application = ListenerApplication.start(Plain.class)) {
			DelayedListenerContainer container = application.registry().container("plain").orElseThrow();
			assertThat(container.queue()).isEqualTo("plain");
			assertThat(container.isAutoStartup()).isTrue();
			InMemoryConsumer consumer = application.consumers().of("plain");
			assertThat(consumer.settings.concurrency()).isEqualTo(ListenerApplication.CONFIGURED_CONCURRENCY);
			assertThat(consumer.executor).isNull();
		}
	}

	@Test
	void everyAttributeSupportsPlaceholders() {
		assertResolved(Placeholders.class);
	}

	@Test
	void everyAttributeSupportsSpel() {
		assertResolved(Spel.class);
	}

	@Test
	void valuesAreTrimmed() {
		try (ListenerApplication application = ListenerApplication.start(Blanks.class)) {
			assertThat(application.registry().container("blanks")).isPresent();
			assertThat(application.consumers().of("blanks").settings.concurrency()).isEqualTo(2);
			assertThat(application.consumers().of("blanks").settings.retry().timeout())
				.isEqualTo(Duration.ofSeconds(2));
		}
	}

	@Test
	void placeholderMayResolveToAnEmptyValue() {
		try (ListenerApplication application = ListenerApplication.start(Absent.class)) {
			DelayedListenerContainer container = application.registry().container("absent").orElseThrow();
			assertThat(container.isAutoStartup()).isTrue();
			assertThat(container.timeout()).isEqualTo(Duration.ofHours(1));
			assertThat(application.consumers().of("absent").executor).isNull();
		}
	}

	private void assertResolved(Class<?> listener) {
		try (ListenerApplication application = ListenerApplication.with(listener, Own.class)
			.property("own.queue", "resolved")
			.property("own.id", "resolved-id")
			.property("own.concurrency", 3)
			.property("own.timeout", "30s")
			.property("own.auto-startup", false)
			.property("own.executor", "ownExecutor")
			.start()) {
			DelayedListenerContainer container = application.registry().container("resolved-id").orElseThrow();
			assertThat(container.queue()).isEqualTo("resolved");
			assertThat(container.isAutoStartup()).isFalse();
			assertThat(container.isRunning()).isFalse();
			InMemoryConsumer consumer = application.consumers().of("resolved");
			assertThat(consumer.settings.name()).isEqualTo("resolved");
			assertThat(consumer.settings.concurrency()).isEqualTo(3);
			assertThat(consumer.settings.retry().timeout()).isEqualTo(Duration.ofSeconds(30));
			assertThat(container.timeout()).isEqualTo(Duration.ofSeconds(30));
			assertThat(consumer.executor).isSameAs(application.bean(Executor.class));
		}
	}

	static class Plain {

		@DelayedListener(queue = "plain")
		void on(String payload) {
		}

	}

	static class Placeholders {

		@DelayedListener(queue = "${own.queue}", id = "${own.id}", concurrency = "${own.concurrency}",
				timeout = "${own.timeout}", autoStartup = "${own.auto-startup}", executor = "${own.executor}")
		void on(String payload) {
		}

	}

	static class Spel {

		@DelayedListener(queue = "#{own.queue()}", id = "#{own.queue() + '-id'}", concurrency = "#{1 + 2}",
				timeout = "#{29 + 1 + 's'}", autoStartup = "#{!own.isEnabled()}", executor = "#{'${own.executor}'}")
		void on(String payload) {
		}

	}

	static class Blanks {

		@DelayedListener(queue = " blanks ", id = " ", concurrency = " 2 ", timeout = " 2s ", autoStartup = " TRUE ")
		void on(String payload) {
		}

	}

	static class Absent {

		@DelayedListener(queue = "absent", id = "${no:}", concurrency = "${no:}", timeout = "${no:}",
				autoStartup = "#{null}", executor = "${no:}")
		void on(String payload) {
		}

	}

	@Configuration("own")
	static class Own {

		public String queue() {
			return "resolved";
		}

		public boolean isEnabled() {
			return true;
		}

		@Bean
		Executor ownExecutor() {
			return Runnable::run;
		}

	}

}
