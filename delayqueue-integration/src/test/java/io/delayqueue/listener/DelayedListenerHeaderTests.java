package io.delayqueue.listener;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.support.MessageHeaderAccessor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The parameters of listener methods that receive headers.
 */
class DelayedListenerHeaderTests {

	private static final String ORDER = "{\"id\":\"o1\",\"cents\":42}";

	private ListenerApplication application;

	private Listeners listeners;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.with(Listeners.class).property("default.tries", "5").start();
		this.listeners = this.application.bean(Listeners.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void headersAreConverted() throws Throwable {
		this.application.deliver(TestDelivery.of("headers", ORDER)
			.headers(Map.of("tries", "3", "tenant", "t1", "at", "2026-01-01T00:00:00Z")));
		assertThat(this.listeners.received).containsExactly(3, "t1", Instant.parse("2026-01-01T00:00:00Z"),
				Optional.empty(), 5);
	}

	@Test
	void headersNamedIdAndTimestampAreOrdinaryHeaders() throws Throwable {
		this.application
			.deliver(TestDelivery.of("spring-names", ORDER).headers(Map.of("id", "42", "timestamp", "yesterday")));
		MessageHeaders headers = (MessageHeaders) this.listeners.received.get(2);
		assertThat(this.listeners.received.subList(0, 2)).containsExactly("42", "yesterday");
		assertThat(headers).containsEntry("id", "42").containsEntry("timestamp", "yesterday");
		assertThat(headers.getId()).isNull();
		assertThat(headers.getTimestamp()).isNull();
	}

	@Test
	void idAndTimestampHeadersAreAbsentByDefault() throws Throwable {
		this.application.deliver(TestDelivery.of("all-headers", ORDER));
		Map<?, ?> headers = (Map<?, ?>) this.listeners.received.get(0);
		assertThat(headers.containsKey("id") || headers.containsKey("timestamp")).isFalse();
	}

	@Test
	void addedHeadersContainQueueIdGroupDueAndAttempt() throws Throwable {
		this.application.deliver(TestDelivery.of("own-headers", ORDER)
			.group("g")
			.attempt(2)
			.headers(Map.of(DelayQueueHeaders.ID, "forged")));
		assertThat(this.listeners.received).containsExactly("own-headers", "id-1", "g", TestDelivery.DUE, 2);
	}

	@Test
	void groupHeaderIsAbsentWithoutAGroup() throws Throwable {
		this.application
			.deliver(TestDelivery.of("own-headers", ORDER).headers(Map.of(DelayQueueHeaders.GROUP, "forged")));
		assertThat(this.listeners.received.get(2)).isNull();
	}

	@Test
	void headersParameterReceivesAllHeaders() throws Throwable {
		this.application.deliver(TestDelivery.of("all-headers", ORDER).headers(Map.of("from", "web")));
		Map<?, ?> headers = (Map<?, ?>) this.listeners.received.get(0);
		assertThat(Map.copyOf(headers)).isEqualTo(Map.of("from", "web", DelayQueueHeaders.QUEUE, "all-headers",
				DelayQueueHeaders.ID, "id-1", DelayQueueHeaders.DUE, TestDelivery.DUE, DelayQueueHeaders.ATTEMPT, 1,
				DelayQueueHeaders.MAX_ATTEMPTS, 5));
	}

	@Test
	void headersParameterOfStringsReceivesText() throws Throwable {
		this.application.deliver(TestDelivery.of("text-headers", ORDER).headers(Map.of("from", "web")));
		assertThat(this.listeners.received.get(0)).isEqualTo(Map.of("from", "web", DelayQueueHeaders.QUEUE,
				"text-headers", DelayQueueHeaders.ID, "id-1", DelayQueueHeaders.DUE, TestDelivery.DUE.toString(),
				DelayQueueHeaders.ATTEMPT, "1", DelayQueueHeaders.MAX_ATTEMPTS, "5"));
	}

	@Test
	void springMessageHasPayloadAndHeaders() throws Throwable {
		this.application.deliver(TestDelivery.of("spring-message", ORDER).headers(Map.of("from", "web")));
		Message<?> message = (Message<?>) this.listeners.received.get(0);
		assertThat(message.getPayload()).isEqualTo(new Order("o1", 42));
		assertThat(message.getHeaders()).containsEntry("from", "web").containsEntry(DelayQueueHeaders.ID, "id-1");
		assertThat(this.listeners.received.get(1)).isEqualTo("web");
	}

	@Test
	void conversionServiceOfTheApplicationConvertsHeaders() throws Throwable {
		DefaultConversionService own = new DefaultConversionService();
		own.addConverter(String.class, Order.class, (text) -> new Order(text, 1));
		try (ListenerApplication other = ListenerApplication.with(OwnTypeListener.class)) {
			other.context.getBeanFactory().setConversionService(own);
			other.start().deliver(TestDelivery.of("own-type", "0").headers(Map.of("order", "o2")));
			assertThat(other.bean(OwnTypeListener.class).received).containsExactly(new Order("o2", 1));
		}
	}

	record Order(String id, int cents) {
	}

	static class OwnTypeListener {

		final List<Object> received = new ArrayList<>();

		@DelayedListener(queue = "own-type")
		void ownType(@Header("order") Order order) {
			this.received.add(order);
		}

	}

	static class Listeners {

		final List<Object> received = new ArrayList<>();

		private void received(@Nullable Object... arguments) {
			this.received.addAll(Arrays.asList(arguments));
		}

		@DelayedListener(queue = "headers")
		void headers(@Header("tries") int tries, @Header String tenant, @Header("at") Instant at,
				@Header("absent") Optional<String> absent,
				@Header(name = "absent", defaultValue = "${default.tries}") int byDefault) {
			received(tries, tenant, at, absent, byDefault);
		}

		@DelayedListener(queue = "spring-names")
		void springNames(@Header("id") String id, @Header("timestamp") String timestamp, MessageHeaders headers,
				MessageHeaderAccessor accessor) {
			received(id, timestamp, headers, accessor);
		}

		@DelayedListener(queue = "own-headers")
		void ownHeaders(@Header(DelayQueueHeaders.QUEUE) String queue, @Header(DelayQueueHeaders.ID) String id,
				@Header(name = DelayQueueHeaders.GROUP, required = false) @Nullable String group,
				@Header(DelayQueueHeaders.DUE) Instant due, @Header(DelayQueueHeaders.ATTEMPT) int attempt) {
			received(queue, id, group, due, attempt);
		}

		@DelayedListener(queue = "all-headers")
		void allHeaders(@Headers Map<String, Object> headers) {
			received(headers);
		}

		@DelayedListener(queue = "text-headers")
		void textHeaders(@Headers Map<String, String> headers) {
			received(headers);
			headers.values().forEach((value) -> assertThat(value).isNotEmpty());
		}

		@DelayedListener(queue = "spring-message")
		void springMessage(Message<Order> message, @Header("from") String from) {
			received(message, from);
		}

	}

}
