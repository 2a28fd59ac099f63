package io.delayqueue.listener;

import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import io.delayqueue.listener.fixture.ListenerApplication;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

import static io.delayqueue.listener.fixture.ListenerFaults.fail;
import static io.delayqueue.listener.fixture.ListenerFaults.faults;
import static io.delayqueue.listener.fixture.ListenerFaults.onlyFault;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Faults that fail the start: of beans with listeners, of conflicting listeners, and of
 * several listeners together.
 */
class DelayedListenerFaultTests {

	private static final String HERE = DelayedListenerFaultTests.class.getName() + "$";

	@Test
	void invalidQueueNameIsRejected() {
		assertThat(onlyFault(InvalidQueue.class)).isEqualTo(new Fault("delayedListenerFaultTests.InvalidQueue",
				HERE + "InvalidQueue.on(String)", "queue", "order timeout", "is not a queue name",
				"Use 1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit"));
		assertThat(onlyFault(InvalidQueue.class)).hasToString(HERE + "InvalidQueue.on(String) of bean "
				+ "'delayedListenerFaultTests.InvalidQueue': queue 'order timeout' is not a queue name");
	}

	@Test
	void faultNamesTheApplicationClassAndNotItsGeneratedSubclass() {
		assertThat(onlyFault(EnhancedBySpring.class).method()).isEqualTo(HERE + "EnhancedBySpring.on(String)");
	}

	@Test
	void faultOfTwoListenersForOneQueueNamesBoth() {
		Fault fault = onlyFault(SameQueue.class, SameQueueToo.class);
		assertThat(fault.method()).isEqualTo(HERE + "SameQueueToo.second(String)");
		assertThat(fault.attribute()).isEqualTo("queue");
		assertThat(fault.problem()).isEqualTo("already has a listener, " + HERE
				+ "SameQueue.first(String) of bean 'delayedListenerFaultTests.SameQueue'");
	}

	@Test
	void faultOfTwoListenersWithOneIdNamesBoth() {
		Fault fault = onlyFault(SameId.class, SameIdToo.class);
		assertThat(fault.method()).isEqualTo(HERE + "SameIdToo.second(String)");
		assertThat(fault.attribute()).isEqualTo("id");
		assertThat(fault.value()).isEqualTo("same");
		assertThat(fault.problem()).contains(HERE + "SameId.first(String)");
	}

	@Test
	void privateAndFinalMethodsOfAClassProxyAreRejected() {
		List<Fault> faults = faults(ClassProxies.class);
		assertThat(faults).extracting(Fault::method)
			.containsExactlyInAnyOrder(HERE + "Hidden.hidden(String)", HERE + "Hidden.fixed(String)");
		assertThat(faults).anySatisfy((fault) -> {
			assertThat(fault.problem()).startsWith("cannot be called. Need to invoke method 'hidden' found on proxy");
			assertThat(fault.fix()).isEqualTo("Make it package-private, protected or public");
		}).anySatisfy((fault) -> assertThat(fault.problem()).startsWith("is final"));
	}

	@Test
	void methodMissingInTheProxiedInterfaceIsRejected() {
		Fault fault = onlyFault(InterfaceProxies.class);
		assertThat(fault.method()).isEqualTo(HERE + "Contracted.on(String)");
		assertThat(fault.problem()).startsWith("cannot be called. Need to invoke method 'on' declared on target class");
		assertThat(fault.fix()).contains("spring.aop.proxy-target-class=true");
	}

	@Test
	void listenersOfPrototypeBeansAreRejected() {
		Fault never = onlyFault(Prototype.class);
		assertThat(never.bean()).isEqualTo("delayedListenerFaultTests.Prototype");
		assertThat(never.problem())
			.isEqualTo("belongs to a bean of scope 'prototype', which may have several instances or none");
		assertThat(onlyFault(Prototype.class, PrototypeUser.class)).isEqualTo(never);
	}

	@Test
	void faultOfAScopedProxyUsesTheNameOfTheBean() {
		Fault fault = onlyFault(Scoped.class);
		assertThat(fault.bean()).isEqualTo("delayedListenerFaultTests.Scoped");
		assertThat(fault.problem()).contains("scope 'request'");
	}

	@Test
	void allFaultsOfAllListenersAreReportedTogether() {
		DelayedListenerDefinitionException exception = fail(AllWrong.class, InvalidQueue.class, Prototype.class);
		assertThat(exception.faults()).hasSize(7);
		assertThat(exception).hasMessageStartingWith("7 fault(s) in @DelayedListener methods:")
			.hasMessageContaining("queue 'a b' is not a queue name. Use 1 to 100 characters")
			.hasMessageContaining("concurrency '0' is out of bounds")
			.hasMessageContaining("autoStartup 'perhaps' is not a boolean")
			.hasMessageContaining("executor 'missing' is not the name of a bean")
			.hasMessageContaining("takes more than one payload")
			.hasMessageContaining("'order timeout'")
			.hasMessageContaining("'prototype'");
		assertThat(exception.queue()).isNull();
	}

	@Test
	void invalidListenerOfALaterBeanIsRejectedWithoutSideEffects() {
		try (ListenerApplication application = ListenerApplication.start(SameQueue.class)) {
			application.context.registerBean(LateAndWrong.class);
			for (int i = 0; i < 2; i++) {
				BeanCreationException exception = catchThrowableOfType(BeanCreationException.class,
						() -> application.bean(LateAndWrong.class));
				assertThat(exception).rootCause().isInstanceOf(DelayedListenerDefinitionException.class);
				DelayedListenerDefinitionException cause = (DelayedListenerDefinitionException) exception
					.getRootCause();
				assertThat(cause.faults()).singleElement()
					.satisfies((fault) -> assertThat(fault.problem()).startsWith("already has a listener"));
			}
			application.later(Right.class);
			assertThat(application.consumers().all()).containsOnlyKeys("same", "free");
		}
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

		@DelayedListener(queue = "a b", concurrency = "0", autoStartup = "perhaps", executor = "missing")
		void on(String one, String two) {
		}

	}

	static class LateAndWrong {

		@DelayedListener(queue = "free")
		void free(String payload) {
		}

		@DelayedListener(queue = "same", id = "late")
		void on(String payload) {
		}

	}

	static class Right {

		@DelayedListener(queue = "free")
		void free(String payload) {
		}

	}

}
