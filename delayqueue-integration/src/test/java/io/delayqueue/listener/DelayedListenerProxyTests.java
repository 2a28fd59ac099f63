package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls go through the proxy of the listener's bean, for all kinds of proxies.
 */
class DelayedListenerProxyTests {

	private static final String ORDER = "{\"id\":\"o1\"}";

	@ParameterizedTest
	@ValueSource(ints = { Ordered.HIGHEST_PRECEDENCE, Ordered.LOWEST_PRECEDENCE })
	void callsGoThroughAClassProxyInAnyOrderOfPostProcessors(int order) throws Throwable {
		Proxies.order = order;
		try (ListenerApplication application = ListenerApplication.start(Proxies.class, ClassProxied.class)) {
			assertThat(AopUtils.isCglibProxy(application.bean(ClassProxied.class))).isTrue();
			for (String queue : new String[] { "public", "protected", "package" }) {
				application.deliver(TestDelivery.of(queue, ORDER));
			}
			assertThat(application.bean(AtomicInteger.class)).hasValue(3);
			assertThat(application.bean(ClassProxied.class).received()).containsExactly("public", "protected",
					"package");
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { Ordered.HIGHEST_PRECEDENCE, Ordered.LOWEST_PRECEDENCE })
	void callsGoThroughAnInterfaceProxyWithoutTheAnnotations(int order) throws Throwable {
		Proxies.order = order;
		try (ListenerApplication application = ListenerApplication.start(Proxies.class, InterfaceProxied.class)) {
			assertThat(AopUtils.isJdkDynamicProxy(application.bean(Contract.class))).isTrue();
			application.deliver(TestDelivery.of("plain", ORDER).headers(Map.of("from", "web")));
			application.deliver(TestDelivery.of("generic", ORDER));
			assertThat(application.bean(AtomicInteger.class)).hasValue(2);
			assertThat(application.bean(Contract.class).received()).containsExactly("o1 web", new Order("o1"));
		}
	}

	record Order(String id) {
	}

	static class ClassProxied {

		private final List<Object> received = new ArrayList<>();

		List<Object> received() {
			return this.received;
		}

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

	}

	interface Handler<T> {

		@DelayedListener(queue = "generic")
		void handle(T payload);

	}

	interface Contract {

		void plain(Order order, String from);

		List<Object> received();

	}

	static class InterfaceProxied implements Contract, Handler<Order> {

		private final List<Object> received = new ArrayList<>();

		@Override
		@DelayedListener(queue = "plain")
		public void plain(Order order, @Header("from") String from) {
			this.received.add(order.id() + " " + from);
		}

		@Override
		public void handle(Order payload) {
			this.received.add(payload);
		}

		@Override
		public List<Object> received() {
			return this.received;
		}

	}

	/** Puts proxies around beans, as {@code @Transactional} does. */
	@Configuration(proxyBeanMethods = false)
	static class Proxies {

		static int order;

		@Bean
		static AtomicInteger calls() {
			return new AtomicInteger();
		}

		@Bean
		static ProxyingPostProcessor proxyingPostProcessor(AtomicInteger calls) {
			return new ProxyingPostProcessor(calls);
		}

	}

	static class ProxyingPostProcessor implements BeanPostProcessor, Ordered {

		private final AtomicInteger calls;

		ProxyingPostProcessor(AtomicInteger calls) {
			this.calls = calls;
		}

		@Override
		public int getOrder() {
			return Proxies.order;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			if (!(bean instanceof ClassProxied) && !(bean instanceof Contract)) {
				return bean;
			}
			ProxyFactory factory = new ProxyFactory(bean);
			factory.setProxyTargetClass(bean instanceof ClassProxied);
			factory.addAdvice((MethodInterceptor) (invocation) -> {
				if (!invocation.getMethod().getName().equals("received")) {
					this.calls.incrementAndGet();
				}
				return invocation.proceed();
			});
			return factory.getProxy(bean.getClass().getClassLoader());
		}

	}

}
