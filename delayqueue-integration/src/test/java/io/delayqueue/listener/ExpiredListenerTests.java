package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedMessage;
import io.delayqueue.delivery.MessageHandler;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Methods for expired messages, beside the listener of the queue.
 */
class ExpiredListenerTests {

	private static final String FIX = "Leave it out: the method takes one message at a time, in the container of the"
			+ " queue's other method";

	@Test
	void expiredMessagesGoToTheExpiredMethodAndOthersToTheListener() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class, ElsewhereListeners.class)) {
			Listeners listeners = application.bean(Listeners.class);
			application.deliver(TestDelivery.of("orders", "\"in time\""));
			expired(application, "orders").handle(TestDelivery.of("orders", "\"late\""));
			expired(application, "batches").handle(TestDelivery.of("batches", "\"later\""));
			expired(application, "elsewhere").handle(TestDelivery.of("elsewhere", "\"elsewhere\""));

			assertThat(listeners.received).containsExactly("orders in time", "expired late", "expired later of batches",
					"expired elsewhere");
			assertThat(application.consumers().of("plain").expired).isNull();
			assertThat(application.registry().containers()).extracting(DelayedListenerContainer::id)
				.as("expired methods have no containers of their own")
				.containsExactlyInAnyOrder("orders", "batches", "elsewhere", "plain");
		}
	}

	@Test
	void expiredMethodHasItsOwnErrorHandler() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Rescued.class)) {
			assertThat(expired(application, "orders").handle(TestDelivery.of("orders", "\"late\""))).isNull();
			assertThat(application.bean(Rescued.class).rescued).isEqualTo("orders of no use");
		}
	}

	@Test
	void expiredMethodNeedsAListenerOfItsQueueAndIsUnique() {
		assertFaults(Alone.class, "queue 'orders' has no listener method without expired = true on this bean, or on a"
				+ " bean that is registered together with it");
		assertThat(faults(Twice.class)).singleElement()
			.satisfies((fault) -> assertThat(fault.problem())
				.startsWith("already has a method for expired messages, " + Twice.class.getName()));
	}

	@Test
	void aLaterBeanCannotAddAnExpiredMethodToAContainer() {
		try (ListenerApplication application = ListenerApplication.start(Plain.class)) {
			DelayedListenerDefinitionException exception = catchThrowableOfType(
					DelayedListenerDefinitionException.class, () -> throwCause(application));
			assertThat(exception.faults()).singleElement()
				.satisfies((fault) -> assertThat(fault.fix()).endsWith("preferably to the same bean"));
		}
	}

	@Test
	void containerAttributesAreRejectedOnAnExpiredMethod() {
		List<Fault> faults = faults(OfTheContainer.class);
		assertThat(faults).extracting(Fault::attribute)
			.containsExactly("id", "concurrency", "timeout", "interruptible", "batch", "batchWait", "groupBy",
					"autoStartup", "executor", null);
		assertThat(faults.subList(0, 9)).allSatisfy((fault) -> {
			assertThat(fault.problem()).isEqualTo("is not supported for a method with expired = true");
			assertThat(fault.fix()).isEqualTo(FIX);
		});
		assertThat(faults.get(9).problem()).isEqualTo("takes a List of DelayedMessage, but is not a batch listener");
		assertThat(faults.get(9).fix()).isEqualTo("Take one message");
	}

	@Test
	void aFaultOfTheListenerIsNotReportedForTheExpiredMethod() {
		assertFaults(OtherAtFault.class, "id '${no.such.property}' cannot be resolved: Could not resolve placeholder"
				+ " 'no.such.property' in value \"${no.such.property}\"");
	}

	private static void throwCause(ListenerApplication application) throws Throwable {
		try {
			application.later(Late.class);
		}
		catch (RuntimeException ex) {
			throw Objects.requireNonNullElse(ex.getCause(), ex);
		}
	}

	private static MessageHandler expired(ListenerApplication application, String queue) {
		return Objects.requireNonNull(application.consumers().of(queue).expired);
	}

	private static void assertFaults(Class<?> listeners, String expected) {
		assertThat(faults(listeners)).singleElement()
			.extracting(Fault::toString)
			.extracting((fault) -> fault.substring(fault.indexOf("': ") + 3))
			.isEqualTo(expected);
	}

	private static List<Fault> faults(Class<?>... beans) {
		DelayedListenerDefinitionException exception = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> ListenerApplication.start(beans));
		assertThat(exception).isNotNull();
		return exception.faults();
	}

	static class Listeners {

		final List<String> received = new ArrayList<>();

		@DelayedListener(queue = "orders", expired = true)
		void expired(String payload) {
			this.received.add("expired " + payload);
		}

		@DelayedListener(queue = "orders")
		void orders(String payload) {
			this.received.add("orders " + payload);
		}

		@DelayedListener(queue = "batches", batch = "2", concurrency = "7")
		void batches(List<String> payloads) {
			throw new AssertionError("not called in this test");
		}

		@DelayedListener(queue = "batches", expired = true)
		void expired(DelayedMessage<String> message) {
			this.received.add("expired " + message.payload() + " of " + message.queue());
		}

		@DelayedListener(queue = "elsewhere", expired = true)
		void elsewhere(String payload) {
			this.received.add("expired " + payload);
		}

		@DelayedListener(queue = "plain")
		void plain(String payload) {
			throw new AssertionError("not called in this test");
		}

	}

	static class ElsewhereListeners {

		@DelayedListener(queue = "elsewhere")
		void elsewhere(String payload) {
			throw new AssertionError("not called in this test");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Rescued {

		@Nullable String rescued;

		@DelayedListener(queue = "orders", expired = true, errorHandler = "rescuer")
		void expired(String payload) {
			throw new IllegalStateException("of no use");
		}

		@DelayedListener(queue = "orders")
		void orders(String payload) {
			throw new AssertionError("not called in this test");
		}

		@Bean
		DelayedListenerErrorHandler rescuer() {
			return (message, failure) -> this.rescued = message.queue() + " " + failure.getMessage();
		}

	}

	static class Alone {

		@DelayedListener(queue = "orders", expired = true)
		void expired(String payload) {
		}

	}

	static class Twice {

		@DelayedListener(queue = "orders", expired = true)
		void expired(String payload) {
		}

		@DelayedListener(queue = "orders", expired = true)
		void expiredToo(String payload) {
		}

		@DelayedListener(queue = "orders")
		void orders(String payload) {
		}

	}

	static class Plain {

		@DelayedListener(queue = "orders")
		void orders(String payload) {
		}

	}

	static class Late {

		@DelayedListener(queue = "orders", expired = true)
		void expired(String payload) {
		}

	}

	static class OfTheContainer {

		@DelayedListener(queue = "orders", expired = true, id = "x", concurrency = "1", timeout = "1s",
				interruptible = true, batch = "2", batchWait = "1s", groupBy = true, autoStartup = "false",
				executor = "none")
		void expired(List<DelayedMessage<String>> messages) {
		}

		@DelayedListener(queue = "orders")
		void orders(String payload) {
		}

	}

	static class OtherAtFault {

		@DelayedListener(queue = "orders", expired = true)
		void expired(String payload) {
		}

		@DelayedListener(queue = "orders", id = "${no.such.property}")
		void orders(String payload) {
		}

	}

}
