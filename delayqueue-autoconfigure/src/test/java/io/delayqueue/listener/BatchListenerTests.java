package io.delayqueue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.DelayedMessage;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Methods that take batches: what they are given, and every fault that stops the start.
 */
class BatchListenerTests {

	private static final String ORDER = "{\"id\":\"o1\",\"cents\":42}";

	@Test
	void theAttributesSayHowBatchesArePutTogether() {
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
			assertThat(application.consumers().of("messages").settings.concurrency()).as("what the queue has")
				.isEqualTo(ListenerApplication.CONFIGURED_CONCURRENCY);
			assertThat(application.consumers().of("spring").settings.concurrency()).as("what it says").isEqualTo(5);
			assertThat(application.consumers().of("single").batches).isNull();
		}
	}

	@Test
	void theListHoldsWhatItsTypeSays() throws Throwable {
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
	void theListCannotBeChanged() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class)) {
			handle(application, "payloads", ORDER);
			List<?> received = application.bean(Listeners.class).received;
			assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(received::clear);
		}
	}

	@Test
	void whatCannotBeReadSaysSoAndNoValues() {
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
	void eachPayloadIsValidatedWhereTheParameterAsksForIt() {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class, Validating.class)) {
			BatchHandler handler = handler(application, "valid");
			assertThat(handler.read(TestDelivery.of("valid", "{\"cents\":1}"))).isEqualTo(new Bill(1));
			assertThatExceptionOfType(UnreadableMessageException.class)
				.isThrownBy(() -> handler.read(TestDelivery.of("valid", "{\"cents\":-1}")))
				.withMessageContaining("the payload is not valid: cents must be positive");
		}
	}

	@Test
	void theStageIsHandedOn() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Listeners.class)) {
			assertThat(handler(application, "stages").handle(List.of("a")))
				.isSameAs(application.bean(Listeners.class).stage);
		}
	}

	@Test
	void attributesThatAreNoNumberOrDurationOrOutOfBounds() {
		assertFaults(WrongAttributes.class, "batch 'many' is not a number", "batch '0' is out of bounds",
				"batch '1001' is out of bounds (written as '#{1000 + 1}')", "batchWait 'soon' is not a duration",
				"batchWait '61s' is out of bounds", "batchWait '-1ms' is out of bounds",
				"batchWait '1s' means nothing without batch", "groupBy 'true' means nothing without batch");
	}

	@Test
	void batchesThatDoNotFitIntoTheConcurrencyOrTheVisibilityTimeout() {
		assertFaults(DoNotFit.class, "concurrency '127' counts messages, and is less than batch '128'",
				"batchWait '10000ms' is not below a third of the queue's visibility-timeout, 30000ms");
	}

	@Test
	void batchesThatNoGroupCanFill() {
		assertFaults(NeverFull.class,
				"batch '4' is more than a group may have at once: the queue's group.concurrency is 3",
				"batch '4' is more than a group may have at once: the queue's group.max-active is 2");
		try (ListenerApplication application = ListenerApplication.start(FilledByManyGroups.class)) {
			assertThat(application.consumers().of("narrow").batches).isNotNull();
		}
	}

	@Test
	void parametersThatCannotHoldABatch() {
		assertFaults(WrongParameters.class, "the method takes batches, but as Order and not as List",
				"the method takes batches, but as Collection and not as List",
				"the method takes batches as a List that does not say of what",
				"the method takes batches as a List that does not say of what",
				"the method takes batches, but has 2 parameters", "the method takes more than one payload: List, List",
				"the method takes batches, but has 2 parameters", "the method takes batches, but has 0 parameters",
				"the method takes a header, but each message of a batch has its own",
				"the method takes batches, but as Map and not as List",
				"the method takes a List of DelayedMessage, but no batches");
	}

	@Test
	void errorHandlersAndInterceptorsAreNotForBatches() {
		assertFaults(Surrounded.class,
				"errorHandler 'forgiving' is called for one message at a time and cannot surround a batch",
				"interceptors 'counting' is called for one message at a time and cannot surround a batch");
	}

	@Test
	void whatACustomizerAddsIsNotForBatchesEither() {
		List<Fault> faults = faults(Customized.class, Listeners.class);
		assertThat(faults).hasSize(7)
			.allMatch((fault) -> fault.problem()
				.startsWith("takes batches, and a DelayedListenerContainerCustomizer gives its container")
					&& fault.fix().contains("isBatch()"));
		try (ListenerApplication application = ListenerApplication.with(Customized.class, Listeners.class)
			.property("own.careful", true)
			.start()) {
			assertThat(application.bean(Customized.class).surrounded).containsExactly("single");
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

	private static void assertFaults(Class<?> listeners, String... expected) {
		assertThat(faults(listeners)).extracting(Fault::toString)
			.extracting((fault) -> fault.substring(fault.indexOf("': ") + 3))
			.containsExactlyInAnyOrder(expected);
	}

	private static List<Fault> faults(Class<?>... beans) {
		DelayedListenerDefinitionException exception = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> ListenerApplication.start(beans));
		assertThat(exception).isNotNull();
		return exception.faults();
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
