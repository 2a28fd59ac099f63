package io.delayqueue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Batch listeners: their settings and their arguments.
 */
class BatchListenerTests {

	private static final String ORDER = "{\"id\":\"o1\",\"cents\":42}";

	@Test
	void attributesConfigureTheBatches() {
		try (ListenerApplication application = ListenerApplication.with(Listeners.class)
			.property("own.batch", "128")
			.property("own.batch-wait", "200ms")
			.start()) {
			assertThat(application.consumers().of("payloads").batches)
				.isEqualTo(new BatchSettings(128, Duration.ofMillis(200), true));
			assertThat(application.consumers().of("payloads").settings.concurrency()).as("ten groups").isEqualTo(1280);
			assertThat(application.registry().container("payloads").orElseThrow().concurrency()).isEqualTo(1280);
			assertThat(application.consumers().of("messages").batches)
				.isEqualTo(new BatchSettings(2, Duration.ZERO, false));
			assertThat(application.consumers().of("messages").settings.concurrency()).as("concurrency of the queue")
				.isEqualTo(ListenerApplication.CONFIGURED_CONCURRENCY);
			assertThat(application.consumers().of("spring").settings.concurrency()).as("concurrency of the annotation")
				.isEqualTo(5);
			assertThat(application.consumers().of("single").batches).isNull();
		}
	}

	@Test
	void listElementsHaveTheDeclaredType() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class)) {
			Listeners listeners = application.bean(Listeners.class);

			handle(application, "payloads", ORDER, "{\"id\":\"o2\",\"cents\":1}");
			assertThat(listeners.received).isEqualTo(List.of(new Order("o1", 42), new Order("o2", 1)));

			for (String queue : List.of("messages", "wildcards")) {
				handle(application, queue, ORDER);
				assertThat(listeners.received).singleElement()
					.isInstanceOfSatisfying(DelayedMessage.class, (message) -> {
						assertThat(message.payload()).isEqualTo(new Order("o1", 42));
						assertThat(message.id()).isEqualTo("id-1");
					});
			}

			handle(application, "spring", ORDER);
			assertThat(listeners.received).singleElement().isInstanceOfSatisfying(Message.class, (message) -> {
				assertThat(message.getPayload()).isEqualTo(new Order("o1", 42));
				assertThat(message.getHeaders()).containsEntry(DelayQueueHeaders.ID, "id-1");
			});

			handle(application, "lists", "[" + ORDER + "]");
			assertThat(listeners.received).isEqualTo(List.of(List.of(new Order("o1", 42))));
		}
	}

	@Test
	void theListIsImmutable() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class)) {
			handle(application, "payloads", ORDER);
			List<?> received = application.bean(Listeners.class).received;
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(received::clear);
		}
	}

	@Test
	void anUnreadablePayloadIsReportedWithoutValues() {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class)) {
			BatchHandler handler = handler(application, "messages");
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> handler.read(TestDelivery.of("messages", "{\"cents\":\"secret\"}")))
				.withMessageContaining("Argument 0 of " + Listeners.class.getName() + ".messages(List)")
				.withMessageContaining(Order.class.getName())
				.withMessageNotContaining("secret");
		}
	}

	@Test
	void eachPayloadOfAValidatedParameterIsValidated() {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class, Validating.class)) {
			BatchHandler handler = handler(application, "valid");
			assertThat(handler.read(TestDelivery.of("valid", "{\"cents\":1}"))).isEqualTo(new Bill(1));
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> handler.read(TestDelivery.of("valid", "{\"cents\":-1}")))
				.withMessageContaining("the payload is not valid: cents must be positive");
		}
	}

	@Test
	void theStageOfTheMethodIsReturned() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class)) {
			assertThat(handler(application, "stages").handle(List.of("a")))
				.isSameAs(application.bean(Listeners.class).stage);
		}
	}

	private static void handle(ListenerApplication application, String queue, String... payloads) throws Throwable {
		BatchHandler handler = handler(application, queue);
		List<Object> batch = new ArrayList<>();
		for (String payload : payloads) {
			batch.add(handler.read(TestDelivery.of(queue, payload)));
		}
		assertThat(handler.handle(batch)).isNull();
	}

	private static BatchHandler handler(ListenerApplication application, String queue) {
		return Objects.requireNonNull(application.consumers().of(queue).batchHandler);
	}

	record Order(String id, int cents) {
	}

	record Bill(int cents) {
	}

	static class Listeners {

		final CompletableFuture<Void> stage = new CompletableFuture<>();

		List<?> received = List.of();

		@DelayedListener(queue = "payloads", batch = "${own.batch:2}", batchWait = "${own.batch-wait:}", groupBy = true)
		void payloads(List<Order> batch) {
			this.received = batch;
		}

		@DelayedListener(queue = "messages", batch = "2")
		void messages(List<DelayedMessage<Order>> batch) {
			this.received = batch;
		}

		@DelayedListener(queue = "wildcards", batch = "2", batchWait = "PT1S")
		void wildcards(List<? extends DelayedMessage<? extends Order>> batch) {
			this.received = batch;
		}

		@DelayedListener(queue = "spring", batch = "5", concurrency = "5")
		void spring(List<Message<Order>> batch) {
			this.received = batch;
		}

		@DelayedListener(queue = "lists", batch = "2")
		void lists(List<List<Order>> batch) {
			this.received = batch;
		}

		@DelayedListener(queue = "valid", batch = "2")
		void valid(@Validated List<Bill> batch) {
		}

		@DelayedListener(queue = "stages", batch = "2")
		CompletionStage<Void> stages(List<String> batch) {
			return this.stage;
		}

		@DelayedListener(queue = "single", batch = "${no:}")
		void single(List<Order> payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Validating {

		@Bean
		Validator validator() {
			return Validator.forInstanceOf(Bill.class, (bill, errors) -> {
				if (bill.cents() <= 0) {
					errors.rejectValue("cents", "positive", "must be positive");
				}
			});
		}

	}

}
