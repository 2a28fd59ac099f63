package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Payload;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The parameters of listener methods that receive the payload or the whole message.
 */
class DelayedListenerArgumentTests {

	private static final String ORDER = "{\"id\":\"o1\",\"cents\":42}";

	private ListenerApplication application;

	private Listeners listeners;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.start(Listeners.class);
		this.listeners = this.application.bean(Listeners.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void payloadHasTheDeclaredType() throws Throwable {
		assertThat(receive("payload", ORDER)).containsExactly(new Order("o1", 42));
		assertThat(receive("annotated-payload", ORDER)).containsExactly(new Order("o1", 42));
	}

	@Test
	void primitivesTextAndBytesAreConverted() throws Throwable {
		assertThat(receive("int", "7")).containsExactly(7);
		assertThat(receive("text", "\" \"")).containsExactly(" ");
		byte[] bytes = { 1, 2, 3 };
		assertThat(receive("bytes", "\"" + Base64.getEncoder().encodeToString(bytes) + "\"")).containsExactly(bytes);
	}

	@Test
	void objectParameterReceivesParsedJson() throws Throwable {
		assertThat(receive("object", ORDER)).containsExactly(Map.of("id", "o1", "cents", 42));
	}

	@Test
	void payloadIsConvertedToItsGenericType() throws Throwable {
		List<Order> orders = List.of(new Order("o1", 42));
		assertThat(receive("list", "[" + ORDER + "]")).containsExactly(orders);
		assertThat(receive("map", "{\"a\":[" + ORDER + "]}")).containsExactly(Map.of("a", orders));
		assertThat(receive("list-message", "[" + ORDER + "]")).containsExactly(orders);
		assertThat(receive("spring-list-message", "[" + ORDER + "]")).containsExactly(orders);
		assertThat(receive("wildcard-message", ORDER)).containsExactly(new Order("o1", 42));
		assertThat(receive("optional", ORDER)).containsExactly(Optional.of(new Order("o1", 42)));
		assertThat((List<?>[]) receive("array", "[[" + ORDER + "]]").get(0)).containsExactly(orders);
	}

	@Test
	void rawMessagesContainParsedJson() throws Throwable {
		assertThat(receive("raw-message", "[1]")).containsExactly(List.of(1));
		assertThat(receive("raw-spring-message", "[1]")).containsExactly(List.of(1));
	}

	@Test
	void delayedMessageHasAllAttributesOfTheDelivery() throws Throwable {
		this.application.deliver(
				TestDelivery.of("message", ORDER).group("g").headers(Map.of("from", "web")).attempt(3).leaseLost());
		DelayedMessage<?> message = (DelayedMessage<?>) this.listeners.received.get(0);
		assertThat(message.queue()).isEqualTo("message");
		assertThat(message.id()).isEqualTo("id-1");
		assertThat(message.group()).contains("g");
		assertThat(message.payload()).isEqualTo(new Order("o1", 42));
		assertThat(message.headers()).containsExactly(Map.entry("from", "web"));
		assertThat(message.dueAt()).isEqualTo(TestDelivery.DUE);
		assertThat(message.attempt()).isEqualTo(3);
		assertThat(message.isLeaseLost()).isTrue();
		assertThat(message)
			.hasToString("DelayedMessage[queue=message, id=id-1, group=g, dueAt=" + TestDelivery.DUE + ", attempt=3]");
	}

	@Test
	void payloadAndDelayedMessageMayBeCombined() throws Throwable {
		assertThat(receive("both", ORDER)).containsExactly(new Order("o1", 42), Map.of("id", "o1", "cents", 42));
	}

	@Test
	void methodMayHaveNoParameters() throws Throwable {
		assertThat(receive("nothing", "not even JSON")).containsExactly("called");
	}

	private List<Object> receive(String queue, String json) throws Throwable {
		this.listeners.received.clear();
		assertThat(this.application.deliver(TestDelivery.of(queue, json))).isNull();
		return List.copyOf(this.listeners.received);
	}

	record Order(String id, int cents) {
	}

	static class Listeners {

		final List<Object> received = new ArrayList<>();

		private void received(@Nullable Object... arguments) {
			this.received.addAll(Arrays.asList(arguments));
		}

		@DelayedListener(queue = "payload")
		void payload(Order order) {
			received(order);
		}

		@DelayedListener(queue = "annotated-payload")
		void annotated(@Payload Order order) {
			received(order);
		}

		@DelayedListener(queue = "int")
		void primitive(int number) {
			received(number);
		}

		@DelayedListener(queue = "text")
		void text(String text) {
			received(text);
		}

		@DelayedListener(queue = "bytes")
		void bytes(byte[] bytes) {
			received(bytes);
		}

		@DelayedListener(queue = "object")
		void object(Object object) {
			received(object);
		}

		@DelayedListener(queue = "list")
		void list(List<Order> orders) {
			received(orders);
			orders.forEach((order) -> assertThat(order.cents()).isPositive());
		}

		@DelayedListener(queue = "map")
		void map(Map<String, List<Order>> orders) {
			received(orders);
		}

		@DelayedListener(queue = "array")
		void array(List<Order>[] orders) {
			this.received.add(orders);
		}

		@DelayedListener(queue = "optional")
		void optional(Optional<Order> order) {
			received(order);
		}

		@DelayedListener(queue = "list-message")
		void listMessage(DelayedMessage<List<Order>> message) {
			received(message.payload());
		}

		@DelayedListener(queue = "wildcard-message")
		void wildcard(DelayedMessage<? extends Order> message) {
			received(message.payload());
		}

		@DelayedListener(queue = "spring-list-message")
		void springListMessage(Message<List<Order>> message) {
			received(message.getPayload());
		}

		@DelayedListener(queue = "raw-message")
		@SuppressWarnings("rawtypes")
		void raw(DelayedMessage message) {
			received(message.payload());
		}

		@DelayedListener(queue = "raw-spring-message")
		void rawSpring(Message<?> message) {
			received(message.getPayload());
		}

		@DelayedListener(queue = "message")
		void message(DelayedMessage<Order> message) {
			received(message);
		}

		@DelayedListener(queue = "both")
		void both(Order order, DelayedMessage<Map<String, Object>> message) {
			received(order, message.payload());
		}

		@DelayedListener(queue = "nothing")
		void nothing() {
			received("called");
		}

	}

}
