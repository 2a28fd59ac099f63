package io.delayqueue.listener;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.PayloadConverter;
import io.delayqueue.UnreadableMessageException;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;
import tools.jackson.core.exc.StreamReadException;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a handler's consumer learns: the message cannot be read, the handler failed, or
 * its end is to be awaited.
 */
@ExtendWith(OutputCaptureExtension.class)
class DelayedListenerHandlingTests {

	private ListenerApplication application;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.start(Listeners.class, Validation.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void payloadOfAnotherFormIsUnreadable() {
		assertUnreadable("payload", "\"abc\"").withMessageContaining("Argument 0 of ")
			.withMessageContaining("Listeners.payload(Order)")
			.withMessageContaining("cannot be read as")
			.withMessageNotContaining("\n");
	}

	@Test
	void thePlaceInThePayloadIsToldButNotWhatStandsThere() {
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
	void whatAConverterOfTheApplicationSaysIsNotTold() {
		try (ListenerApplication other = ListenerApplication.start(ValidatedListener.class, QuotingConverter.class)) {
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> other.deliver(TestDelivery.of("validated", "4711")))
				.withMessageEndingWith("cannot be read as " + Order.class.getName()
						+ ": java.lang.IllegalStateException because of tools.jackson.core.exc.StreamReadException");
		}
	}

	@Test
	void payloadThatIsNoJsonIsUnreadable() {
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
	void headersAreNotTold() {
		assertThatExceptionOfType(UnreadableMessageException.class)
			.isThrownBy(() -> this.application
				.deliver(TestDelivery.of("header", "\"payload-4711\"").headers(Map.of("token", "secret"))))
			.satisfies((ex) -> assertThat(stackTrace(ex)).contains("message 'id-1' of queue 'header'")
				.doesNotContain("4711", "secret"));
	}

	@Test
	void headerOfAnotherFormIsUnreadable() {
		assertThatExceptionOfType(UnreadableMessageException.class)
			.isThrownBy(() -> this.application.deliver(TestDelivery.of("header", "1").headers(Map.of("tries", "many"))))
			.withMessageContaining("Argument 0 of ")
			.withMessageEndingWith("org.springframework.core.convert.ConversionFailedException for a int");
	}

	@Test
	void invalidPayloadIsUnreadableAndItsValuesAreNotTold() {
		for (String queue : new String[] { "validated", "validated-message", "validated-spring" }) {
			assertUnreadable(queue, "{\"cents\":-4711}")
				.withMessageContaining("the payload is not valid: cents must be positive")
				.satisfies((ex) -> assertThat(stackTrace(ex)).doesNotContain("4711"));
		}
	}

	@Test
	void validPayloadIsHandled() throws Throwable {
		this.application.deliver(TestDelivery.of("validated", "{\"cents\":1}"));
		assertThat(this.application.bean(Listeners.class).handled).isEqualTo(1);
	}

	@Test
	void payloadIsNotValidatedUnlessTheParameterAsksForIt() throws Throwable {
		this.application.deliver(TestDelivery.of("delayed", "{\"cents\":-1}"));
		assertThat(this.application.bean(Listeners.class).handled).isEqualTo(1);
	}

	@Test
	void withoutValidatorAWarningIsGivenAtTheStart(CapturedOutput output) throws Throwable {
		try (ListenerApplication other = ListenerApplication.start(ValidatedListener.class)) {
			other.deliver(TestDelivery.of("validated", "{\"cents\":-1}"));
			assertThat(output).contains("ValidatedListener.on(Order) are not validated");
		}
	}

	@Test
	void converterThatReturnsAnotherTypeIsNoFailureOfTheHandler() {
		try (ListenerApplication other = ListenerApplication.start(ValidatedListener.class, WrongConverter.class)) {
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> other.deliver(TestDelivery.of("validated", "{}")))
				.withMessageContaining("was read as java.lang.String");
		}
	}

	@Test
	void exceptionsOfTheHandlerComeThroughAsTheyAre() {
		for (Throwable failure : new Throwable[] { new IllegalStateException("a"), new IOException("b"),
				new AssertionError("c"), new Throwable("d"), new MessageConversionException("e"),
				new InterruptedException("f") }) {
			this.application.bean(Listeners.class).failure = failure;
			assertThatExceptionOfType(Throwable.class)
				.isThrownBy(() -> this.application.deliver(TestDelivery.of("failing", "0")))
				.satisfies((thrown) -> assertThat(thrown).isSameAs(failure));
		}
	}

	@Test
	void interruptFlagStaysAsItIs() throws Throwable {
		Thread.currentThread().interrupt();
		try {
			this.application.deliver(TestDelivery.of("delayed", "{\"cents\":1}"));
		}
		finally {
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void completionStageIsHandedToTheConsumer() throws Throwable {
		assertThat(this.application.deliver(TestDelivery.of("stage", "0")))
			.isSameAs(this.application.bean(Listeners.class).stage);
		assertThat(this.application.deliver(TestDelivery.of("undeclared-stage", "\"stage\"")))
			.isSameAs(this.application.bean(Listeners.class).stage);
	}

	@Test
	void noStageMeansHandled() throws Throwable {
		assertThat(this.application.deliver(TestDelivery.of("no-stage", "0"))).isNull();
		assertThat(this.application.deliver(TestDelivery.of("undeclared-stage", "\"text\""))).isNull();
	}

	@Test
	void whatWouldNotBeAwaitedFailsEvenIfItWasNotDeclared() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> this.application.deliver(TestDelivery.of("undeclared-stage", "\"mono\"")))
			.withMessageContaining("is not awaited");
	}

	@Test
	void ignoredReturnValueIsSaidAtTheStart(CapturedOutput output) {
		ListenerApplication.start(ReturningListener.class).close();
		assertThat(output).containsOnlyOnce("ReturningListener.on() returns is ignored")
			.doesNotContain("ReturningListener.nothing() returns");
	}

	private static String stackTrace(Throwable thrown) {
		StringWriter text = new StringWriter();
		thrown.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

	private ThrowableAssertAlternative<UnreadableMessageException> assertUnreadable(String queue, String json) {
		return assertThatExceptionOfType(UnreadableMessageException.class)
			.isThrownBy(() -> this.application.deliver(TestDelivery.of(queue, json)));
	}

	record Order(int cents) {
	}

	static class Listeners {

		final CompletableFuture<Void> stage = new CompletableFuture<>();

		Throwable failure = new Throwable();

		int handled;

		@DelayedListener(queue = "payload")
		void payload(Order order) {
			this.handled++;
		}

		@DelayedListener(queue = "nested")
		void nested(Map<String, List<Order>> orders) {
			this.handled++;
		}

		@DelayedListener(queue = "delayed")
		void delayed(DelayedMessage<Order> order) {
			this.handled++;
		}

		@DelayedListener(queue = "spring")
		void spring(Message<Order> order) {
			this.handled++;
		}

		@DelayedListener(queue = "header")
		void header(@Header("tries") int tries) {
			this.handled++;
		}

		@DelayedListener(queue = "validated")
		void validated(@Payload @Validated Order order) {
			this.handled++;
		}

		@DelayedListener(queue = "validated-message")
		void validatedMessage(@Validated DelayedMessage<Order> order) {
			this.handled++;
		}

		@DelayedListener(queue = "validated-spring")
		void validatedSpring(@Validated Message<Order> order) {
			this.handled++;
		}

		@DelayedListener(queue = "failing")
		void failing(int payload) throws Throwable {
			throw this.failure;
		}

		@DelayedListener(queue = "stage")
		CompletionStage<Void> stage(int payload) {
			return this.stage;
		}

		@DelayedListener(queue = "no-stage")
		CompletableFuture<Void> noStage(int payload) {
			return null;
		}

		@DelayedListener(queue = "undeclared-stage")
		Object undeclared(String payload) {
			return switch (payload) {
				case "stage" -> this.stage;
				case "mono" -> Mono.empty();
				default -> payload;
			};
		}

	}

	static class ValidatedListener {

		@DelayedListener(queue = "validated")
		void on(@Validated Order order) {
		}

	}

	static class ReturningListener {

		@DelayedListener(queue = "returning")
		boolean on() {
			return false;
		}

		@DelayedListener(queue = "nothing")
		void nothing() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrongConverter {

		@Bean
		PayloadConverter payloadConverter() {
			return new PayloadConverter() {

				@Override
				public byte[] write(Object payload) {
					return new byte[0];
				}

				@Override
				public Object read(byte[] bytes, Type type) {
					return "text";
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class QuotingConverter {

		@Bean
		PayloadConverter payloadConverter() {
			return new PayloadConverter() {

				@Override
				public byte[] write(Object payload) {
					return new byte[0];
				}

				@Override
				public Object read(byte[] bytes, Type type) {
					String read = new String(bytes, StandardCharsets.UTF_8);
					throw new IllegalStateException("cannot read " + read, new StreamReadException("what is " + read));
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Validation {

		@Bean
		Validator validator() {
			return new Validator() {

				@Override
				public boolean supports(Class<?> type) {
					return true;
				}

				@Override
				public void validate(Object target, Errors errors) {
					if (((Order) target).cents() <= 0) {
						errors.rejectValue("cents", "positive", "must be positive");
					}
				}

			};
		}

	}

}
