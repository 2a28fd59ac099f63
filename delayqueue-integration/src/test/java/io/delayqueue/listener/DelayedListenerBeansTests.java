package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.Recurring;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.TestDelivery;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Several beans of one class, several queues of one method, and beans that come and go.
 */
class DelayedListenerBeansTests {

	@Test
	void beansOfOneClassHandleAQueueEach() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Tenants.class)) {
			assertThat(application.consumers().all()).containsOnlyKeys("acme", "globex", "initech");
			application.deliver(TestDelivery.of("globex", "\"g\""));
			application.deliver(TestDelivery.of("initech", "\"i\""));
			assertThat(application.context.getBean("globex", Tenant.class).received).containsExactly("g", "i");
			assertThat(application.context.getBean("acme", Tenant.class).received).isEmpty();
		}
	}

	@Test
	void oneMethodHandlesSeveralQueuesWithAContainerEach() throws Throwable {
		try (ListenerApplication application = ListenerApplication.with(SeveralQueues.class)
			.property("others", "second, third")
			.property("spring.application.name", "shop")
			.start()) {
			assertThat(application.registry().containers()).extracting(DelayedListenerContainer::id)
				.containsExactly("first", "second", "third");
			application.deliver(TestDelivery.of("first", "\"1\""));
			application.deliver(TestDelivery.of("third", "\"3\""));
			assertThat(application.bean(SeveralQueues.class).received).containsExactly("1", "3");
			assertThat(application.registry().declared()).extracting(RecurringSchedule::queue)
				.containsExactlyInAnyOrder("first", "second", "third");
		}
	}

	@Test
	void severalQueuesHaveNoCommonIdAndNoListenerTwice() {
		assertThatExceptionOfType(DelayedListenerDefinitionException.class)
			.isThrownBy(() -> ListenerApplication.start(CommonId.class))
			.satisfies((failure) -> assertThat(failure.faults()).extracting(Object::toString)
				.anySatisfy((fault) -> assertThat(fault).contains("cannot be the id of several containers"))
				.anySatisfy((fault) -> assertThat(fault).contains("already has a listener")));
	}

	@Test
	void aBeanThatIsRegisteredInCodeListensUntilItIsRemoved() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Tenants.class)) {
			application.context.registerBean("late", Tenant.class, () -> new Tenant("umbrella"));
			Tenant late = application.context.getBean("late", Tenant.class);
			application.deliver(TestDelivery.of("umbrella", "\"u\""));
			assertThat(late.received).containsExactly("u");
			DelayedListenerContainer container = application.registry().container("umbrella").orElseThrow();
			assertThat(container.isRunning()).isTrue();

			application.context.removeBeanDefinition("late");

			assertThat(container.isRunning()).isFalse();
			assertThat(application.registry().container("umbrella")).isEmpty();
			assertThat(application.registry().container("acme").orElseThrow().isRunning()).isTrue();

			application.context.registerBean("again", Tenant.class, () -> new Tenant("umbrella"));
			application.context.getBean("again");
			assertThat(application.registry().container("umbrella").orElseThrow().isRunning()).isTrue();
		}
	}

	@Test
	void anObjectThatIsRegisteredInCodeListensUntilItIsRemoved() throws Throwable {
		try (ListenerApplication application = ListenerApplication.start(Tenants.class)) {
			DelayedListenerRegistry registry = application.registry();
			Tenant umbrella = new Tenant("umbrella");
			Tenant hooli = new Tenant("hooli", "piper");
			registry.register(umbrella);
			registry.register(hooli);
			application.deliver(TestDelivery.of("piper", "\"p\""));
			assertThat(hooli.received).containsExactly("p");

			assertThatExceptionOfType(DelayedListenerDefinitionException.class)
				.isThrownBy(() -> registry.register(new Tenant("piper", "acme")));
			assertThatIllegalArgumentException().isThrownBy(() -> registry.register("no listener"));
			registry.unregister(hooli);
			registry.unregister(hooli);

			assertThat(registry.containers()).extracting(DelayedListenerContainer::id)
				.containsExactly("acme", "globex", "initech", "umbrella");
			registry.register(new Tenant("piper"));
			assertThat(registry.container("piper").orElseThrow().isRunning()).isTrue();
		}
	}

	@Test
	void anObjectThatIsRegisteredBeforeTheStartStartsWithTheApplication() {
		try (ListenerApplication application = ListenerApplication.start(RegisteringConfiguration.class)) {
			assertThat(application.registry().container("early").orElseThrow().isRunning()).isTrue();
			assertThat(application.registry().containers()).hasSize(1);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class RegisteringConfiguration {

		RegisteringConfiguration(DelayedListenerRegistry registry) {
			Tenant removed = new Tenant("removed");
			registry.register(new Tenant("early"));
			registry.register(removed);
			registry.unregister(removed);
		}

	}

	static class Tenant {

		final List<String> received = new ArrayList<>();

		private final List<String> queues;

		Tenant(String... queues) {
			this.queues = List.of(queues);
		}

		public List<String> getQueues() {
			return this.queues;
		}

		@DelayedListener(queue = "#{__listener.queues}")
		void handle(String text) {
			this.received.add(text);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Tenants {

		@Bean
		Tenant acme() {
			return new Tenant("acme");
		}

		@Bean
		Tenant globex() {
			return new Tenant("globex", "initech");
		}

	}

	static class SeveralQueues {

		final List<String> received = new ArrayList<>();

		@DelayedListener(queue = { "first", "${others}" })
		@Recurring(key = "daily", cron = "0 0 9 * * *")
		void handle(String text) {
			this.received.add(text);
		}

	}

	static class CommonId {

		@DelayedListener(queue = { "first", "second" }, id = "both")
		void handle(String text) {
		}

		@DelayedListener(queue = "second")
		void other(String text) {
		}

	}

}
