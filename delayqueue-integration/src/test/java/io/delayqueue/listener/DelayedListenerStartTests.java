package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.ListenerFaults;
import io.delayqueue.listener.fixture.TestDelivery;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Effects of listeners on the start of an application, and the output for invalid
 * listeners.
 */
@ExtendWith(OutputCaptureExtension.class)
class DelayedListenerStartTests {

	@Test
	void everyBeanIsProcessedByAllPostProcessors(CapturedOutput output) {
		ListenerApplication.start(Listener.class).close();
		assertThat(output).doesNotContain("not eligible for getting processed by all BeanPostProcessors");
	}

	@Test
	void otherBeansAreNotCreatedEarly() {
		try (ListenerApplication application = ListenerApplication.start(ListenerWithExecutor.class,
				TracedConfiguration.class)) {
			assertThat(application.bean(Creations.class).names).containsExactly("last singleton", "executor");
		}
	}

	@Test
	void applicationWithoutListenersRequiresNoOtherBeans() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(OnlyPostProcessor.class)
			.web(WebApplicationType.NONE)
			.run()) {
			assertThat(context.isRunning()).isTrue();
		}
	}

	@Test
	void factoryBeanAndItsProductAreOneListenerEach() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(ProductFactory.class)) {
			assertThat(application.consumers().all()).containsOnlyKeys("factory", "product");
			application.deliver(TestDelivery.of("product", "0"));
			application.deliver(TestDelivery.of("factory", "0"));
			assertThat(application.bean(Product.class).handled).isEqualTo(1);
			assertThat(application.bean(ProductFactory.class).handled).isEqualTo(1);
		}
	}

	@Test
	void productsThatAreNoSingletonsAreRejected() {
		assertThat(ListenerFaults.onlyFault(PrototypeFactory.class).problem()).contains("scope 'prototype'");
	}

	@Test
	void listenersAreEagerInALazyApplication() {
		try (ListenerApplication application = lazy(Listener.class, ProductFactory.class).start()) {
			assertThat(application.consumers().all()).containsOnlyKeys("queue", "factory", "product");
			assertThat(application.registry().container("queue").orElseThrow().isRunning()).isTrue();
		}
	}

	@Test
	void lazyListenersAreCreatedAtTheStart() {
		try (ListenerApplication application = ListenerApplication.start(LazyListener.class)) {
			assertThat(application.registry().container("queue").orElseThrow().isRunning()).isTrue();
		}
	}

	@Test
	void lazyBeanOfAnAbstractTypeOfTheApplicationIsCreatedAtTheStart() {
		try (ListenerApplication application = ListenerApplication.start(LazyBeans.class)) {
			assertThat(application.consumers().all()).containsOnlyKeys("queue", "product");
			assertThat(application.context.getBeanFactory().containsSingleton("foreign")).isFalse();
			assertThat(application.context.getBeanFactory().containsSingleton("concrete")).isFalse();
		}
	}

	@Test
	void listenersOfObjectsThatAreRegisteredAsBeansAreFound() {
		ListenerApplication application = ListenerApplication.with(Creations.class);
		application.context
			.addBeanFactoryPostProcessor((beanFactory) -> beanFactory.registerSingleton("object", new Listener()));
		try (application) {
			application.start();
			assertThat(application.consumers().all()).containsOnlyKeys("queue");
		}
	}

	@Test
	void failureAnalyzerPrintsAllFaultsAndFixes(CapturedOutput output) {
		SpringApplication application = new SpringApplicationBuilder(ListenerApplication.Infrastructure.class,
				Wrong.class, Listener.class)
			.web(WebApplicationType.NONE)
			.build();
		assertThat(catchThrowable(application::run)).isInstanceOf(DelayedListenerDefinitionException.class);
		String wrong = Wrong.class.getName() + ".on(String) of bean 'delayedListenerStartTests.Wrong': ";
		assertThat(output.getAll().replace(System.lineSeparator(), "\n")).contains("""
				APPLICATION FAILED TO START
				***************************

				Description:

				Methods annotated with @DelayedListener are invalid:
				    1. %squeue '-' is not a queue name
				    2. %sconcurrency 'many' is not a number (written as '${no:many}')

				Action:

				Correct the listeners:
				    1. Use 1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit
				    2. Use a number from 1 to 10,000
				""".formatted(wrong, wrong));
	}

	private static ListenerApplication lazy(Class<?>... beans) {
		ListenerApplication application = ListenerApplication.with(beans);
		application.context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
		return application;
	}

	static class Listener {

		@DelayedListener(queue = "queue", executor = "${no.such.property:}")
		void on(String payload) {
		}

	}

	static class ListenerWithExecutor {

		@DelayedListener(queue = "queue", executor = "watchedExecutor")
		void on(String payload) {
		}

	}

	static class Creations {

		final List<String> names = new ArrayList<>();

	}

	@Configuration(proxyBeanMethods = false)
	static class TracedConfiguration {

		@Bean
		Creations creations() {
			return new Creations();
		}

		@Bean
		@Lazy
		Executor watchedExecutor(Creations creations) {
			creations.names.add("executor");
			return Runnable::run;
		}

		@Bean
		Object lastSingleton(Creations creations) {
			creations.names.add("last singleton");
			return new Object();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OnlyPostProcessor {

		@Bean
		static DelayedListenerAnnotationBeanPostProcessor postProcessor() {
			return new DelayedListenerAnnotationBeanPostProcessor();
		}

	}

	@Lazy
	static class LazyListener extends Listener {

	}

	interface Handler {

	}

	static class HandlingListener extends Listener implements Handler {

	}

	static class HandlingProduct extends Product implements Handler {

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		Handler handler() {
			return new HandlingListener();
		}

		@Bean
		FactoryBean<Handler> products() {
			return new FactoryBean<>() {

				@Override
				public Handler getObject() {
					return new HandlingProduct();
				}

				@Override
				public Class<?> getObjectType() {
					return Handler.class;
				}

			};
		}

		@Bean
		@Lazy
		Runnable foreign() {
			return () -> {
			};
		}

		@Bean
		@Lazy
		Creations concrete() {
			return new Creations();
		}

	}

	static class PrototypeFactory extends ProductFactory {

		@Override
		public boolean isSingleton() {
			return false;
		}

	}

	static class Product {

		int handled;

		@DelayedListener(queue = "product")
		void on(int payload) {
			this.handled++;
		}

	}

	static class ProductFactory implements FactoryBean<Product> {

		int handled;

		@Override
		public Product getObject() {
			return new Product();
		}

		@Override
		public Class<?> getObjectType() {
			return Product.class;
		}

		@DelayedListener(queue = "factory")
		void on(int payload) {
			this.handled++;
		}

	}

	static class Wrong {

		@DelayedListener(queue = "-", concurrency = "${no:many}")
		void on(String payload) {
		}

	}

}
