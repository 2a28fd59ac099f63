package io.delayqueue.listener;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Payloads are validated if the listener's parameter requires it.
 */
@ExtendWith(OutputCaptureExtension.class)
class DelayedListenerValidationTests {

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
	void invalidPayloadIsUnreadableAndItsValuesAreNotReported() {
		for (String queue : new String[] { "validated", "validated-message", "validated-spring" }) {
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> this.application.deliver(TestDelivery.of(queue, "{\"cents\":-4711}")))
				.withMessageContaining("the payload is not valid: cents must be positive")
				.satisfies((ex) -> assertThat(Throwables.getStackTrace(ex)).doesNotContain("4711"));
		}
	}

	@Test
	void validPayloadIsHandled() throws Throwable {
		this.application.deliver(TestDelivery.of("validated", "{\"cents\":1}"));
		assertThat(this.application.bean(Listeners.class).handled).isEqualTo(1);
	}

	@Test
	void payloadIsNotValidatedWithoutTheAnnotation() throws Throwable {
		this.application.deliver(TestDelivery.of("delayed", "{\"cents\":-1}"));
		assertThat(this.application.bean(Listeners.class).handled).isEqualTo(1);
	}

	@Test
	void missingValidatorIsLoggedAtTheStart(CapturedOutput output) throws Throwable {
		try (ListenerApplication other = ListenerApplication.start(ValidatedListener.class)) {
			other.deliver(TestDelivery.of("validated", "{\"cents\":-1}"));
			assertThat(output).contains("ValidatedListener.on(Order) are not validated");
		}
	}

	record Order(int cents) {
	}

	static class Listeners {

		int handled;

		@DelayedListener(queue = "delayed")
		void delayed(DelayedMessage<Order> order) {
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

	}

	static class ValidatedListener {

		@DelayedListener(queue = "validated")
		void on(@Validated Order order) {
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
