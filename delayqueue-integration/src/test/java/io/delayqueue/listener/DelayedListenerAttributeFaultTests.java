package io.delayqueue.listener;

import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import io.delayqueue.listener.fixture.ListenerApplication;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.delayqueue.listener.fixture.ListenerFaults.faults;
import static io.delayqueue.listener.fixture.ListenerFaults.onlyFault;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Invalid attributes that fail the start, and the reported faults.
 */
class DelayedListenerAttributeFaultTests {

	@Test
	void unresolvableAttributeIsRejected() {
		Fault placeholder = onlyFault(UnresolvablePlaceholder.class);
		assertThat(placeholder.attribute()).isEqualTo("queue");
		assertThat(placeholder.value()).isEqualTo("${no.such.property}");
		assertThat(placeholder.problem()).contains("Could not resolve placeholder 'no.such.property'");
		Fault spel = onlyFault(UnresolvableSpel.class);
		assertThat(spel.attribute()).isEqualTo("id");
		assertThat(spel.value()).isEqualTo("#{noSuchBean.name}");
	}

	@Test
	void invalidConcurrencyIsRejected() {
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
	void concurrencyHasTheBoundsOfTheQueueSetting() {
		try (ListenerApplication application = ListenerApplication.start(MostConcurrency.class)) {
			assertThat(application.consumers().of("most").settings.concurrency()).isEqualTo(10_000);
		}
	}

	@Test
	void invalidTimeoutIsRejected() {
		List<Fault> faults = faults(Timeouts.class);
		assertThat(faults).extracting((fault) -> fault.attribute() + " '" + fault.value() + "' " + fault.problem())
			.containsExactlyInAnyOrder("timeout '999ms' is out of bounds", "timeout '-1s' is out of bounds",
					"timeout '366d' is out of bounds", "timeout 'soon' is not a duration (written as '${no:soon}')");
		assertThat(faults).allSatisfy((fault) -> assertThat(fault.fix())
			.isEqualTo("Use a duration from 1 second to 365 days, for example 30s"));
	}

	@Test
	void invalidAutoStartupIsRejected() {
		Fault fault = onlyFault(NoBoolean.class);
		assertThat(fault.attribute()).isEqualTo("autoStartup");
		assertThat(fault.value()).isEqualTo("yes");
		assertThat(fault.problem()).isEqualTo("is not a boolean");
	}

	@Test
	void executorMustBeABeanOfItsType() {
		Fault missing = onlyFault(MissingExecutor.class);
		assertThat(missing.attribute()).isEqualTo("executor");
		assertThat(missing.problem()).isEqualTo("is not the name of a bean");
		Fault none = onlyFault(NoExecutor.class);
		assertThat(none.problem()).isEqualTo("is not of type Executor but class java.lang.String");
	}

	@Test
	void errorHandlersAndInterceptorsMustBeBeansOfTheirType() {
		List<Fault> faults = faults(WrongBeans.class);
		assertThat(faults).extracting((fault) -> fault.attribute() + " '" + fault.value() + "' " + fault.problem())
			.satisfiesExactly(
					(fault) -> assertThat(fault).isEqualTo("interceptors 'missing' is not the name of a bean"),
					(fault) -> assertThat(fault)
						.isEqualTo("interceptors 'text' is not of type DelayedListenerInterceptor but "
								+ "class java.lang.String (written as 'interceptor, text')"),
					(fault) -> assertThat(fault).startsWith(
							"errorHandler 'interceptor' is not of type DelayedListenerErrorHandler but class "));
		assertThat(faults.get(0).fix()).isEqualTo("Define a bean of that name, or leave it out");
		assertThat(faults.get(2).fix())
			.isEqualTo("Name a bean that implements io.delayqueue.DelayedListenerErrorHandler");
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

	static class Timeouts {

		@DelayedListener(queue = "short", timeout = "999ms")
		void shortOne(String payload) {
		}

		@DelayedListener(queue = "negative", timeout = "-1s")
		void negative(String payload) {
		}

		@DelayedListener(queue = "long", timeout = "366d")
		void longOne(String payload) {
		}

		@DelayedListener(queue = "text", timeout = "${no:soon}")
		void text(String payload) {
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

		@DelayedListener(queue = "missing", executor = "missing")
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

		@DelayedListener(queue = "wrong-beans", interceptors = { "missing", "interceptor, text" },
				errorHandler = "interceptor")
		void on(String payload) {
		}

	}

}
