package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.DelayedMessage;
import io.delayqueue.listener.BatchListenerTests.Bill;
import io.delayqueue.listener.BatchListenerTests.Listeners;
import io.delayqueue.listener.BatchListenerTests.Order;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import io.delayqueue.listener.fixture.ListenerApplication;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

import static io.delayqueue.listener.fixture.ListenerFaults.faults;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * All faults of batch listeners that fail the start.
 */
class BatchListenerFaultTests {

	@Test
	void invalidBatchAttributesAreRejected() {
		assertFaults(WrongAttributes.class, "batch 'many' is not a number", "batch '0' is out of bounds",
				"batch '1001' is out of bounds (written as '#{1000 + 1}')", "batchWait 'soon' is not a duration",
				"batchWait '61s' is out of bounds", "batchWait '-1ms' is out of bounds",
				"batchWait '1s' has no effect without batch", "groupBy 'true' has no effect without batch");
	}

	@Test
	void batchesMustFitConcurrencyAndVisibilityTimeout() {
		assertFaults(DoNotFit.class, "concurrency '127' counts messages, and is less than batch '128'",
				"batchWait '10s' is not below a third of the queue's visibility-timeout, 30s");
	}

	@Test
	void batchesAreNotInterruptible() {
		assertFaults(InterruptibleBatch.class, "interruptible 'true' is not supported with batches");
	}

	@Test
	void aBatchByGroupMustFitTheLimitsOfAGroup() {
		assertFaults(NeverFull.class,
				"batch '4' is more than a group may have at once: the queue's group.concurrency is 3",
				"batch '4' is more than a group may have at once: the queue's group.max-active is 2");
		try (ListenerApplication application = ListenerApplication.start(FilledByManyGroups.class)) {
			assertThat(application.consumers().of("narrow").batches).isNotNull();
		}
	}

	@Test
	void invalidBatchParametersAreRejected() {
		assertFaults(WrongParameters.class, "the method takes batches, but as Order and not as List",
				"the method takes batches, but as Collection and not as List",
				"the method takes batches as a List without a type argument",
				"the method takes batches as a List without a type argument",
				"the method takes batches, but has 2 parameters", "the method takes more than one payload: List, List",
				"the method takes batches, but has 2 parameters", "the method takes batches, but has 0 parameters",
				"the method takes a header, but each message of a batch has its own headers",
				"the method takes batches, but as Map and not as List",
				"the method takes a List of DelayedMessage, but is not a batch listener");
	}

	@Test
	void errorHandlersAndInterceptorsAreRejectedForBatches() {
		assertFaults(Surrounded.class,
				"errorHandler 'forgiving' is called for one message at a time and does not support batches",
				"interceptors 'counting' is called for one message at a time and does not support batches");
	}

	@Test
	void handlersFromACustomizerAreRejectedForBatches() {
		List<Fault> faults = faults(Customized.class, Listeners.class);
		assertThat(faults).hasSize(7)
			.allMatch((
					fault) -> fault.problem().startsWith("takes batches, but a DelayedListenerContainerCustomizer adds")
							&& fault.fix().contains("isBatch()"));
		try (ListenerApplication application = ListenerApplication.with(Customized.class, Listeners.class)
			.property("own.careful", true)
			.start()) {
			assertThat(application.bean(Customized.class).surrounded).containsExactly("single");
		}
	}

	private static void assertFaults(Class<?> listeners, String... expected) {
		assertThat(faults(listeners)).extracting(Fault::toString)
			.extracting((fault) -> fault.substring(fault.indexOf("': ") + 3))
			.containsExactlyInAnyOrder(expected);
	}

	static class NeverFull {

		@DelayedListener(queue = "narrow", batch = "4", groupBy = true)
		void handle(List<Order> batch) {
		}

	}

	static class FilledByManyGroups {

		@DelayedListener(queue = "narrow", batch = "4")
		void handle(List<Order> batch) {
		}

	}

	static class WrongAttributes {

		@DelayedListener(queue = "a", batch = "many")
		void many(List<Order> batch) {
		}

		@DelayedListener(queue = "b", batch = "0")
		void none(List<Order> batch) {
		}

		@DelayedListener(queue = "c", batch = "#{1000 + 1}")
		void tooMany(List<Order> batch) {
		}

		@DelayedListener(queue = "d", batch = "1000", batchWait = "soon")
		void soon(List<Order> batch) {
		}

		@DelayedListener(queue = "e", batch = "1", batchWait = "61s")
		void late(List<Order> batch) {
		}

		@DelayedListener(queue = "f", batch = "1", batchWait = "-1ms")
		void early(List<Order> batch) {
		}

		@DelayedListener(queue = "g", batchWait = "1s", groupBy = true)
		void alone(Order payload) {
		}

	}

	static class InterruptibleBatch {

		@DelayedListener(queue = "a", batch = "128", interruptible = true)
		void handle(List<Order> batch) {
		}

	}

	static class DoNotFit {

		@DelayedListener(queue = "a", batch = "128", concurrency = "127")
		void concurrency(List<Order> batch) {
		}

		@DelayedListener(queue = "b", batch = "128", batchWait = "10s")
		void patience(List<Order> batch) {
		}

	}

	static class WrongParameters {

		@DelayedListener(queue = "a", batch = "2")
		void single(Order payload) {
		}

		@DelayedListener(queue = "b", batch = "2")
		void collection(Collection<Order> batch) {
		}

		@DelayedListener(queue = "c", batch = "2")
		@SuppressWarnings("rawtypes")
		void raw(List batch) {
		}

		@DelayedListener(queue = "d", batch = "2")
		void wildcard(List<?> batch) {
		}

		@DelayedListener(queue = "e", batch = "2")
		void two(List<Order> batch, List<Bill> bills) {
		}

		@DelayedListener(queue = "f", batch = "2")
		void header(List<Order> batch, @Header("from") String from) {
		}

		@DelayedListener(queue = "g", batch = "2")
		void nothing() {
		}

		@DelayedListener(queue = "h", batch = "2")
		void onlyHeader(@Header("from") List<String> from) {
		}

		@DelayedListener(queue = "i", batch = "2")
		void headers(@Headers Map<String, String> headers) {
		}

		@DelayedListener(queue = "j", batch = "${no:}")
		void forgotten(List<DelayedMessage<Order>> batch) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Surrounded {

		@DelayedListener(queue = "a", batch = "2", errorHandler = "forgiving", interceptors = "counting")
		void on(List<Order> batch) {
		}

		@Bean
		DelayedListenerErrorHandler forgiving() {
			return (message, failure) -> {
			};
		}

		@Bean
		DelayedListenerInterceptor counting() {
			return (message, next) -> next.proceed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Customized {

		final List<String> surrounded = new ArrayList<>();

		@Bean
		DelayedListenerContainerCustomizer surrounding(Environment environment) {
			boolean careful = environment.getProperty("own.careful", boolean.class, false);
			return (container) -> {
				if (!careful || !container.isBatch()) {
					this.surrounded.add(container.queue());
					container.interceptor((message, next) -> next.proceed());
				}
			};
		}

	}

}
