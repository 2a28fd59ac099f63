package io.delayqueue.listener;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.implementation.StubMethod;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Every fault that stops the start, with what is said about it.
 */
class DelayedListenerFaultTests {

	private static final String HERE = DelayedListenerFaultTests.class.getName() + "$";

	@Test
	void invalidQueueName() {
		assertThat(onlyFault(InvalidQueue.class)).isEqualTo(new Fault("delayedListenerFaultTests.InvalidQueue",
				HERE + "InvalidQueue.on(String)", "queue", "order timeout", "is not a queue name",
				"Use 1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit"));
		assertThat(onlyFault(InvalidQueue.class)).hasToString(HERE + "InvalidQueue.on(String) of bean "
				+ "'delayedListenerFaultTests.InvalidQueue': queue 'order timeout' is not a queue name");
	}

	@Test
	void theClassIsTheOneThatWasWritten() {
		assertThat(onlyFault(EnhancedBySpring.class).method()).isEqualTo(HERE + "EnhancedBySpring.on(String)");
	}

	@Test
	void attributeThatCannotBeResolved() {
		Fault placeholder = onlyFault(UnresolvablePlaceholder.class);
		assertThat(placeholder.attribute()).isEqualTo("queue");
		assertThat(placeholder.value()).isEqualTo("${no.such.property}");
		assertThat(placeholder.problem()).contains("Could not resolve placeholder 'no.such.property'");
		Fault spel = onlyFault(UnresolvableSpel.class);
		assertThat(spel.attribute()).isEqualTo("id");
		assertThat(spel.value()).isEqualTo("#{noSuchBean.name}");
	}

	@Test
	void concurrencyThatIsNoNumberOrOutOfBounds() {
		for (Class<?> listener : List.of(ManyConcurrency.class, NoConcurrency.class, TooMuchConcurrency.class)) {
			Fault fault = onlyFault(listener);
			assertThat(fault.attribute()).isEqualTo("concurrency");
			assertThat(fault.fix()).isEqualTo("Use a number from 1 to 10,000");
		}
		assertThat(onlyFault(ManyConcurrency.class).problem()).isEqualTo("is not a number (written as '${no:many}')");
		assertThat(onlyFault(ManyConcurrency.class).value()).isEqualTo("many");
		assertThat(onlyFault(NoConcurrency.class).problem()).isEqualTo("is out of bounds");
	}

	@Test
	void boundsOfTheConcurrencyAreThoseOfTheQueue() {
		try (ListenerApplication application = ListenerApplication.start(MostConcurrency.class)) {
			assertThat(application.consumers().of("most").settings.concurrency()).isEqualTo(10_000);
		}
	}

	@Test
	void autoStartupThatIsNoBoolean() {
		Fault fault = onlyFault(NoBoolean.class);
		assertThat(fault.attribute()).isEqualTo("autoStartup");
		assertThat(fault.value()).isEqualTo("yes");
		assertThat(fault.problem()).isEqualTo("is not a boolean");
	}

	@Test
	void executorThatIsMissingOrNone() {
		Fault missing = onlyFault(MissingExecutor.class);
		assertThat(missing.attribute()).isEqualTo("executor");
		assertThat(missing.problem()).isEqualTo("is not the name of a bean");
		Fault none = onlyFault(NoExecutor.class);
		assertThat(none.problem()).isEqualTo("is no Executor but a class java.lang.String");
	}

	@Test
	void errorHandlersAndInterceptorsThatAreMissingOrNone() {
		List<Fault> faults = faults(WrongBeans.class);
		assertThat(faults).extracting((fault) -> fault.attribute() + " '" + fault.value() + "' " + fault.problem())
			.satisfiesExactly((fault) -> assertThat(fault).isEqualTo("interceptors 'nobody' is not the name of a bean"),
					(fault) -> assertThat(fault).isEqualTo("interceptors 'text' is no DelayedListenerInterceptor but a "
							+ "class java.lang.String (written as 'interceptor, text')"),
					(fault) -> assertThat(fault)
						.startsWith("errorHandler 'interceptor' is no DelayedListenerErrorHandler but a class "));
		assertThat(faults.get(0).fix()).isEqualTo("Define a bean of that name, or leave it out");
		assertThat(faults.get(2).fix())
			.isEqualTo("Name a bean that implements io.delayqueue.DelayedListenerErrorHandler");
	}

	@Test
	void twoListenersForOneQueueNamesBoth() {
		Fault fault = onlyFault(SameQueue.class, SameQueueToo.class);
		assertThat(fault.method()).isEqualTo(HERE + "SameQueueToo.second(String)");
		assertThat(fault.attribute()).isEqualTo("queue");
		assertThat(fault.problem()).isEqualTo("already has a listener, " + HERE
				+ "SameQueue.first(String) of bean 'delayedListenerFaultTests.SameQueue'");
	}

	@Test
	void twoListenersWithOneIdNamesBoth() {
		Fault fault = onlyFault(SameId.class, SameIdToo.class);
		assertThat(fault.method()).isEqualTo(HERE + "SameIdToo.second(String)");
		assertThat(fault.attribute()).isEqualTo("id");
		assertThat(fault.value()).isEqualTo("same");
		assertThat(fault.problem()).contains(HERE + "SameId.first(String)");
	}

	@Test
	void returnTypesThatAreNotAwaited() {
		assertThat(onlyFault(ReturnsMono.class).problem())
			.isEqualTo("returns reactor.core.publisher.Mono, which is not awaited");
		assertThat(onlyFault(ReturnsPublisher.class).problem()).contains("org.reactivestreams.Publisher");
		assertThat(onlyFault(ReturnsFlow.class).problem()).contains("Flow$Publisher");
		assertThat(onlyFault(ReturnsFuture.class).problem()).contains("java.util.concurrent.Future");
		assertThat(onlyFault(ReturnsFuture.class).fix()).contains("CompletionStage");
	}

	@Test
	void asyncMethodWhoseEndIsNotAwaited() {
		List<Fault> faults = faults(AsyncListener.class, Asynchronous.class);
		assertThat(faults).extracting(Fault::method).containsExactly(HERE + "AsyncListener.forgotten(String)");
		assertThat(faults.get(0).problem())
			.isEqualTo("is @Async but returns void: its messages would be acknowledged before they are handled");
	}

	@Test
	void suspendFunction() throws Exception {
		ClassLoader loader = getClass().getClassLoader();
		Class<?> continuation = new ByteBuddy().makeInterface()
			.name("kotlin.coroutines.Continuation")
			.make()
			.load(loader, ClassLoadingStrategy.Default.WRAPPER)
			.getLoaded();
		Class<?> suspending = new ByteBuddy().subclass(Object.class)
			.name("io.delayqueue.listener.SuspendingListener")
			.defineMethod("on", Object.class, Visibility.PUBLIC)
			.withParameters(String.class, continuation)
			.intercept(FixedValue.nullValue())
			.annotateMethod(
					AnnotationDescription.Builder.ofType(DelayedListener.class).define("queue", "suspending").build())
			.make()
			.load(continuation.getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
			.getLoaded();
		assertThat(onlyFault(suspending).problem()).isEqualTo("is a suspend function, whose end is not awaited");
	}

	@Test
	void moreThanOnePayload() {
		Fault fault = onlyFault(TwoPayloads.class);
		assertThat(fault.attribute()).isNull();
		assertThat(fault.problem()).isEqualTo("takes more than one payload: String, Integer");
		assertThat(fault.fix()).contains("@Header");
	}

	@Test
	void payloadWithAnExpression() {
		assertThat(onlyFault(PayloadExpression.class).problem()).contains("@Payload with an expression");
	}

	@Test
	void headerWhoseNameIsUnknown() {
		Class<?> nameless = new ByteBuddy().subclass(Object.class)
			.name("io.delayqueue.listener.NamelessListener")
			.defineMethod("on", void.class, Visibility.PUBLIC)
			.withParameter(String.class)
			.annotateParameter(AnnotationDescription.Builder.ofType(Header.class).build())
			.intercept(StubMethod.INSTANCE)
			.annotateMethod(AnnotationDescription.Builder.ofType(DelayedListener.class).define("queue", "q").build())
			.make()
			.load(getClass().getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
			.getLoaded();
		assertThat(onlyFault(nameless).problem()).isEqualTo("has a @Header without a name on parameter 0");
	}

	@Test
	void staticMethod() {
		assertThat(onlyFault(StaticMethod.class).problem()).isEqualTo("is static");
	}

	@Test
	void privateAndFinalMethodsOnAProxyOfTheClass() {
		List<Fault> faults = faults(ClassProxies.class);
		assertThat(faults).extracting(Fault::method)
			.containsExactlyInAnyOrder(HERE + "Hidden.hidden(String)", HERE + "Hidden.fixed(String)");
		assertThat(faults).anySatisfy((fault) -> {
			assertThat(fault.problem()).startsWith("cannot be called. Need to invoke method 'hidden' found on proxy");
			assertThat(fault.fix()).isEqualTo("Make it package-private, protected or public");
		}).anySatisfy((fault) -> assertThat(fault.problem()).startsWith("is final"));
	}

	@Test
	void proxyOfAnInterfaceThatLacksTheMethod() {
		Fault fault = onlyFault(InterfaceProxies.class);
		assertThat(fault.method()).isEqualTo(HERE + "Contracted.on(String)");
		assertThat(fault.problem()).startsWith("cannot be called. Need to invoke method 'on' declared on target class");
		assertThat(fault.fix()).contains("spring.aop.proxy-target-class=true");
	}

	@Test
	void prototypeThatIsNeverOrOftenCreated() {
		Fault never = onlyFault(Prototype.class);
		assertThat(never.bean()).isEqualTo("delayedListenerFaultTests.Prototype");
		assertThat(never.problem())
			.isEqualTo("belongs to a bean of scope 'prototype', of which there is not exactly one instance");
		assertThat(onlyFault(Prototype.class, PrototypeUser.class)).isEqualTo(never);
	}

	@Test
	void scopedBeanBehindAProxyIsCalledByItsName() {
		Fault fault = onlyFault(Scoped.class);
		assertThat(fault.bean()).isEqualTo("delayedListenerFaultTests.Scoped");
		assertThat(fault.problem()).contains("scope 'request'");
	}

	@Test
	void allFaultsOfAllListenersAreToldAtOnce() {
		DelayedListenerDefinitionException exception = fail(AllWrong.class, InvalidQueue.class, Prototype.class);
		assertThat(exception.faults()).hasSize(7);
		assertThat(exception).hasMessageStartingWith("7 fault(s) in @DelayedListener methods:")
			.hasMessageContaining("queue 'a b' is not a queue name. Use 1 to 100 characters")
			.hasMessageContaining("concurrency '0' is out of bounds")
			.hasMessageContaining("autoStartup 'perhaps' is not a boolean")
			.hasMessageContaining("executor 'nobody' is not the name of a bean")
			.hasMessageContaining("takes more than one payload")
			.hasMessageContaining("'order timeout'")
			.hasMessageContaining("'prototype'");
		assertThat(exception.queue()).isNull();
	}

	@Test
	void listenerThatComesLateIsRefusedAloneAndLeavesNothingBehind() {
		try (ListenerApplication application = ListenerApplication.start(SameQueue.class, LateAndWrong.class,
				Right.class)) {
			for (int i = 0; i < 2; i++) {
				BeanCreationException exception = catchThrowableOfType(BeanCreationException.class,
						() -> application.bean(LateAndWrong.class));
				assertThat(exception).rootCause().isInstanceOf(DelayedListenerDefinitionException.class);
				DelayedListenerDefinitionException cause = (DelayedListenerDefinitionException) exception
					.getRootCause();
				assertThat(cause.faults()).singleElement()
					.satisfies((fault) -> assertThat(fault.problem()).startsWith("already has a listener"));
			}
			application.bean(Right.class);
			assertThat(application.consumers().all()).containsOnlyKeys("same", "free");
		}
	}

	private static Fault onlyFault(Class<?>... beans) {
		List<Fault> faults = faults(beans);
		assertThat(faults).hasSize(1);
		return faults.get(0);
	}

	private static List<Fault> faults(Class<?>... beans) {
		return fail(beans).faults();
	}

	private static DelayedListenerDefinitionException fail(Class<?>... beans) {
		DelayedListenerDefinitionException exception = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> ListenerApplication.start(beans));
		assertThat(exception).isNotNull();
		return exception;
	}

	@Configuration(proxyBeanMethods = true)
	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	static class EnhancedBySpring {

		@DelayedListener(queue = "enhanced")
		void on(String payload) {
		}

		@Bean
		Object other() {
			return new Object();
		}

	}

	static class InvalidQueue {

		@DelayedListener(queue = "order timeout")
		void on(String payload) {
		}

	}

	static class UnresolvablePlaceholder {

		@DelayedListener(queue = "${no.such.property}")
		void on(String payload) {
		}

	}

	static class UnresolvableSpel {

		@DelayedListener(queue = "spel", id = "#{noSuchBean.name}")
		void on(String payload) {
		}

	}

	static class ManyConcurrency {

		@DelayedListener(queue = "many", concurrency = "${no:many}")
		void on(String payload) {
		}

	}

	static class NoConcurrency {

		@DelayedListener(queue = "no", concurrency = "0")
		void on(String payload) {
		}

	}

	static class TooMuchConcurrency {

		@DelayedListener(queue = "too-much", concurrency = "10001")
		void on(String payload) {
		}

	}

	static class MostConcurrency {

		@DelayedListener(queue = "most", concurrency = "10000")
		void on(String payload) {
		}

	}

	static class NoBoolean {

		@DelayedListener(queue = "no-boolean", autoStartup = "yes")
		void on(String payload) {
		}

	}

	static class MissingExecutor {

		@DelayedListener(queue = "missing", executor = "nobody")
		void on(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NoExecutor {

		@Bean
		String text() {
			return "no executor";
		}

		@DelayedListener(queue = "no-executor", executor = "text")
		void on(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WrongBeans {

		@Bean
		String text() {
			return "no interceptor";
		}

		@Bean
		DelayedListenerInterceptor interceptor() {
			return (message, next) -> next.proceed();
		}

		@DelayedListener(queue = "wrong-beans", interceptors = { "nobody", "interceptor, text" },
				errorHandler = "interceptor")
		void on(String payload) {
		}

	}

	static class SameQueue {

		@DelayedListener(queue = "same")
		void first(String payload) {
		}

	}

	static class SameQueueToo {

		@DelayedListener(queue = "same", id = "other")
		void second(String payload) {
		}

	}

	static class SameId {

		@DelayedListener(queue = "first", id = "same")
		void first(String payload) {
		}

	}

	static class SameIdToo {

		@DelayedListener(queue = "second", id = "same")
		void second(String payload) {
		}

	}

	static class ReturnsMono {

		@DelayedListener(queue = "mono")
		Mono<Void> on(String payload) {
			return Mono.empty();
		}

	}

	static class ReturnsPublisher {

		@DelayedListener(queue = "publisher")
		Publisher<Void> on(String payload) {
			return Mono.empty();
		}

	}

	static class ReturnsFlow {

		@DelayedListener(queue = "flow")
		Flow.Publisher<Void> on(String payload) {
			return (subscriber) -> {
			};
		}

	}

	static class ReturnsFuture {

		@DelayedListener(queue = "future")
		Future<?> on(String payload) {
			return new CompletableFuture<>();
		}

	}

	static class AsyncListener {

		@Async
		@DelayedListener(queue = "forgotten")
		void forgotten(String payload) {
		}

		@Async
		@DelayedListener(queue = "awaited")
		CompletableFuture<Void> awaited(String payload) {
			return CompletableFuture.completedFuture(null);
		}

		@DelayedListener(queue = "synchronous")
		void synchronous(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync(proxyTargetClass = true)
	static class Asynchronous {

	}

	static class TwoPayloads {

		@DelayedListener(queue = "two")
		void on(String one, Integer two, @Header("three") String three) {
		}

	}

	static class PayloadExpression {

		@DelayedListener(queue = "expression")
		void on(@Payload("cents") int cents) {
		}

	}

	static class StaticMethod {

		@DelayedListener(queue = "static")
		static void on(String payload) {
		}

	}

	static class Hidden {

		@DelayedListener(queue = "hidden")
		private void hidden(String payload) {
		}

		@DelayedListener(queue = "fixed")
		final void fixed(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ClassProxies {

		@Bean
		Hidden hidden() {
			ProxyFactory factory = new ProxyFactory(new Hidden());
			factory.setProxyTargetClass(true);
			return (Hidden) factory.getProxy();
		}

	}

	interface Contract {

		void other();

	}

	static class Contracted implements Contract {

		@Override
		public void other() {
		}

		@DelayedListener(queue = "contracted")
		public void on(String payload) {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceProxies {

		@Bean
		Contract contract() {
			return (Contract) new ProxyFactory(new Contracted()).getProxy();
		}

	}

	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	static class Prototype {

		@DelayedListener(queue = "prototype")
		void on(String payload) {
		}

	}

	static class PrototypeUser {

		PrototypeUser(Prototype one, ObjectProvider<Prototype> more) {
			more.getObject();
		}

	}

	@Scope(scopeName = "request", proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class Scoped {

		@DelayedListener(queue = "scoped")
		void on(String payload) {
		}

	}

	static class AllWrong {

		@DelayedListener(queue = "a b", concurrency = "0", autoStartup = "perhaps", executor = "nobody")
		void on(String one, String two) {
		}

	}

	@Lazy
	static class LateAndWrong {

		@DelayedListener(queue = "free")
		void free(String payload) {
		}

		@DelayedListener(queue = "same", id = "late")
		void on(String payload) {
		}

	}

	@Lazy
	static class Right {

		@DelayedListener(queue = "free")
		void free(String payload) {
		}

	}

}
