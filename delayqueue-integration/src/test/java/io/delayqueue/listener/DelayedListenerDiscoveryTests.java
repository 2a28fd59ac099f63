package io.delayqueue.listener;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The beans and types on which annotated methods are found.
 */
class DelayedListenerDiscoveryTests {

	private static final String ORDER = "{\"id\":\"o1\"}";

	@Test
	void methodsOfAnyVisibilityAreFound() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Visibilities.class)) {
			for (String queue : new String[] { "public", "protected", "package", "private" }) {
				application.deliver(TestDelivery.of(queue, ORDER));
			}
			assertThat(application.bean(Visibilities.class).received).containsExactly("public", "protected", "package",
					"private");
		}
	}

	@Test
	void inheritedMethodsResolveTypeVariablesAgainstTheBean() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(OrderListener.class)) {
			application.deliver(TestDelivery.of("inherited", ORDER));
			application.deliver(TestDelivery.of("inherited-list", "[" + ORDER + "]"));
			application.deliver(TestDelivery.of("inherited-message", "[" + ORDER + "]"));
			assertThat(application.bean(OrderListener.class).received).containsExactly(new Order("o1"),
					List.of(new Order("o1")), List.of(new Order("o1")));
		}
	}

	@Test
	void typeVariableMayBeAGenericType() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(OrderListListener.class)) {
			application.deliver(TestDelivery.of("inherited", "[" + ORDER + "]"));
			assertThat(application.bean(OrderListListener.class).received).containsExactly(List.of(new Order("o1")));
		}
	}

	@Test
	void overriddenMethodIsOneListenerWithTheInheritedAnnotation() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(OverridingListener.class)) {
			assertThat(application.consumers().all()).hasSize(3);
			application.deliver(TestDelivery.of("inherited", ORDER));
			assertThat(application.bean(OverridingListener.class).received).containsExactly("overridden o1");
		}
	}

	@Test
	void annotationsOfAnInterfaceAreFound() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(InterfaceListener.class)) {
			assertThat(application.consumers().all()).containsOnlyKeys("contract", "default");
			application.deliver(TestDelivery.of("contract", ORDER).headers(Map.of("from", "web")));
			application.deliver(TestDelivery.of("default", ORDER));
			assertThat(application.bean(InterfaceListener.class).received).containsExactly("o1 web", "default");
		}
	}

	@Test
	void genericInterfaceIsOneListener() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(GenericInterfaceListener.class)) {
			assertThat(application.consumers().all()).containsOnlyKeys("generic");
			application.deliver(TestDelivery.of("generic", ORDER));
			assertThat(application.bean(GenericInterfaceListener.class).received).containsExactly(new Order("o1"));
		}
	}

	@Test
	void composedAnnotationIsFound() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(ComposedListener.class)) {
			assertThat(application.consumers().of("composed").settings.concurrency()).isEqualTo(3);
			assertThat(application.registry().container("composed-id")).isPresent();
		}
	}

	@Test
	void methodsOfConfigurationClassesAndBeanMethodsAreFound() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(ListeningConfiguration.class)) {
			application.deliver(TestDelivery.of("configuration", ORDER));
			application.deliver(TestDelivery.of("public", ORDER));
			assertThat(application.bean(ListeningConfiguration.class).received).containsExactly("o1");
			assertThat(application.bean(Visibilities.class).received).containsExactly("public");
		}
	}

	record Order(String id) {
	}

	static class Visibilities {

		final List<Object> received = new ArrayList<>();

		@DelayedListener(queue = "public")
		public void inPublic(Order order) {
			this.received.add("public");
		}

		@DelayedListener(queue = "protected")
		protected void inProtected(Order order) {
			this.received.add("protected");
		}

		@DelayedListener(queue = "package")
		void inPackage(Order order) {
			this.received.add("package");
		}

		@DelayedListener(queue = "private")
		private void inPrivate(Order order) {
			this.received.add("private");
		}

	}

	abstract static class GenericListener<T> {

		final List<Object> received = new ArrayList<>();

		@DelayedListener(queue = "inherited")
		void on(T payload) {
			this.received.add(payload);
		}

		@DelayedListener(queue = "inherited-list")
		void onList(List<T> payload) {
			this.received.add(payload);
		}

		@DelayedListener(queue = "inherited-message")
		void onMessage(DelayedMessage<List<T>> message) {
			this.received.add(message.payload());
		}

	}

	static class OrderListener extends GenericListener<Order> {

	}

	static class OrderListListener extends GenericListener<List<Order>> {

	}

	static class OverridingListener extends GenericListener<Order> {

		@Override
		void on(Order payload) {
			this.received.add("overridden " + payload.id());
		}

	}

	interface AnnotatedContract {

		@DelayedListener(queue = "contract")
		void on(Order order, @Header("from") String from);

		@DelayedListener(queue = "default")
		default void byDefault() {
			received().add("default");
		}

		List<Object> received();

	}

	static class InterfaceListener implements AnnotatedContract {

		final List<Object> received = new ArrayList<>();

		@Override
		public void on(Order order, String from) {
			this.received.add(order.id() + " " + from);
		}

		@Override
		public List<Object> received() {
			return this.received;
		}

	}

	interface Handler<T> {

		@DelayedListener(queue = "generic")
		void handle(T payload);

	}

	static class GenericInterfaceListener implements Handler<Order> {

		final List<Object> received = new ArrayList<>();

		@Override
		public void handle(Order payload) {
			this.received.add(payload);
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DelayedListener(queue = "to be overridden", concurrency = "3")
	@interface OrderQueue {

		@AliasFor(annotation = DelayedListener.class, attribute = "queue")
		String value();

		@AliasFor(annotation = DelayedListener.class, attribute = "id")
		String name() default "";

	}

	static class ComposedListener {

		@OrderQueue(value = "composed", name = "composed-id")
		void on(Order order) {
		}

	}

	@Configuration
	static class ListeningConfiguration {

		final List<Object> received = new ArrayList<>();

		@DelayedListener(queue = "configuration")
		void on(Order order) {
			this.received.add(order.id());
		}

		@Bean
		Visibilities visibilities() {
			return new Visibilities();
		}

	}

}
