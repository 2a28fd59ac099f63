package io.delayqueue.listener;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.PayloadConverter;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.core.exc.StreamReadException;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Unreadable messages, and that their content is not reported.
 */
class DelayedListenerUnreadableTests {

	private ListenerApplication application;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.start(Listeners.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void payloadOfAnotherTypeIsUnreadable() {
		assertUnreadable("payload", "\"abc\"").withMessageContaining("Argument 0 of ")
			.withMessageContaining("Listeners.payload(Order)")
			.withMessageContaining("cannot be read as")
			.withMessageNotContaining("\n");
	}

	@Test
	void messageContainsTheLocationInThePayloadButNoValues() {
		assertUnreadable("payload", "{\"cents\":\"4711x\"}").withMessageEndingWith("Listeners.payload(Order): "
				+ "the payload cannot be read as " + Order.class.getName()
				+ ": tools.jackson.databind.exc.InvalidFormatException at Order[\"cents\"] (line 1, column 10)");
		assertUnreadable("nested", "{\"4711@example.com\":[{\"cents\":1},{\"cents\":\"4711x\"}]}")
			.withMessageContaining(
					"InvalidFormatException at LinkedHashMap[*]->ArrayList[1]->Order[\"cents\"] (line 1, column ")
			.withMessageNotContaining("4711");
		assertUnreadable("payload", "{\"cents\": x4711").withMessageContaining("StreamReadException")
			.withMessageNotContaining("4711");
	}

	@Test
	void messageOfACustomConverterIsNotReported() {
		try (ListenerApplication other = ListenerApplication.start(Listeners.class, QuotingConverter.class)) {
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> other.deliver(TestDelivery.of("payload", "4711")))
				.withMessageEndingWith("cannot be read as " + Order.class.getName()
						+ ": java.lang.IllegalStateException because of tools.jackson.core.exc.StreamReadException");
		}
	}

	@Test
	void wrongTypeFromAConverterIsUnreadable() {
		try (ListenerApplication other = ListenerApplication.start(Listeners.class, WrongConverter.class)) {
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> other.deliver(TestDelivery.of("payload", "{}")))
				.withMessageContaining("was read as java.lang.String");
		}
	}

	@Test
	void invalidJsonIsUnreadable() {
		assertUnreadable("payload", "{");
		assertUnreadable("payload", "");
		assertUnreadable("delayed", "{");
		assertUnreadable("spring", "{");
	}

	@Test
	void jsonNullIsUnreadable() {
		assertUnreadable("payload", "null").withMessageContaining("read as null");
	}

	@Test
	void missingHeaderIsUnreadable() {
		assertUnreadable("header", "1").withMessageContaining("Missing header 'tries'");
	}

	@Test
	void stackTraceContainsNoPayloadAndNoHeaders() {
		assertThatExceptionOfType(UnreadableMessageException.class)
			.isThrownBy(() -> this.application
				.deliver(TestDelivery.of("header", "\"payload-4711\"").headers(Map.of("token", "secret"))))
			.satisfies((ex) -> assertThat(Throwables.getStackTrace(ex)).contains("message 'id-1' of queue 'header'")
				.doesNotContain("4711", "secret"));
	}

	@Test
	void headerOfAnotherTypeIsUnreadable() {
		assertThatExceptionOfType(UnreadableMessageException.class)
			.isThrownBy(() -> this.application.deliver(TestDelivery.of("header", "1").headers(Map.of("tries", "many"))))
			.withMessageContaining("Argument 0 of ")
			.withMessageEndingWith("org.springframework.core.convert.ConversionFailedException for a int");
	}

	private ThrowableAssertAlternative<UnreadableMessageException> assertUnreadable(String queue, String json) {
		return assertThatExceptionOfType(UnreadableMessageException.class)
			.isThrownBy(() -> this.application.deliver(TestDelivery.of(queue, json)));
	}

	record Order(int cents) {
	}

	static class Listeners {

		@DelayedListener(queue = "payload")
		void payload(Order order) {
		}

		@DelayedListener(queue = "nested")
		void nested(Map<String, List<Order>> orders) {
		}

		@DelayedListener(queue = "delayed")
		void delayed(DelayedMessage<Order> order) {
		}

		@DelayedListener(queue = "spring")
		void spring(Message<Order> order) {
		}

		@DelayedListener(queue = "header")
		void header(@Header("tries") int tries) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrongConverter {

		@Bean
		PayloadConverter payloadConverter() {
			return reading((bytes) -> "text");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class QuotingConverter {

		@Bean
		PayloadConverter payloadConverter() {
			return reading((bytes) -> {
				String read = new String(bytes, StandardCharsets.UTF_8);
				throw new IllegalStateException("cannot read " + read, new StreamReadException("what is " + read));
			});
		}

	}

	private static PayloadConverter reading(Function<byte[], Object> read) {
		return new PayloadConverter() {

			@Override
			public byte[] write(Object payload) {
				return new byte[0];
			}

			@Override
			public Object read(byte[] bytes, Type type) {
				return read.apply(bytes);
			}

		};
	}

}
