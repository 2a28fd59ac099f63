package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.Recurring;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerDefinitionException;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Listeners in a parent context and in its child contexts.
 */
class ChildContextIntegrationTests {

	private static final Set<String> handled = ConcurrentHashMap.newKeySet();

	private final String[] properties = { "spring.data.redis.url=" + SharedRedis.get().uri(),
			"spring.data.redis.client-type=jedis", "spring.main.banner-mode=off", "spring.application.name=family",
			"delayqueue.key-prefix=test-" + UUID.randomUUID() };

	private final List<ConfigurableApplicationContext> started = new ArrayList<>();

	@AfterEach
	void stop() {
		for (int i = this.started.size(); i > 0; i--) {
			this.started.get(i - 1).close();
		}
	}

	@Test
	void listenersOfParentAndChildShareOneEngine() {
		ConfigurableApplicationContext child = start(parent(OfParent.class), Auto.class, OfChild.class);
		DelayQueueOperations operations = child.getBean(DelayQueueOperations.class);
		schedule(operations, "of-parent", "p1");
		schedule(operations, "of-child", "c1");
		await().until(() -> handled.containsAll(Set.of("p1", "c1")));
		assertThat(child.getBeanFactory().getBeanNamesForType(DelayQueueEngine.class)).isEmpty();
		assertThat(queues(child)).containsExactlyInAnyOrder("of-parent", "of-child");
		assertThat(child.getBean(DelayedListenerRegistry.class).declared()).extracting(RecurringSchedule::key)
			.containsExactly("daily");
	}

	@Test
	void listenersOfAChildStopAndStartWithTheChild() {
		ConfigurableApplicationContext parent = parent(OfParent.class);
		ConfigurableApplicationContext child = start(parent, Auto.class, OfChild.class);
		child.stop();
		assertThat(queues(parent)).containsExactly("of-parent");
		assertThat(parent.getBean(DelayedListenerRegistry.class).declared()).isEmpty();
		child.start();
		assertThat(parent.getBean(DelayedListenerRegistry.class).containers()).hasSize(2)
			.allMatch(DelayedListenerContainer::isRunning);
		child.close();
		assertThat(queues(parent)).containsExactly("of-parent");
		start(parent, Auto.class, OfChild.class);
		schedule(parent.getBean(DelayQueueOperations.class), "of-child", "c2");
		await().until(() -> handled.contains("c2"));
	}

	@Test
	void aQueueHasOneListenerInAllContexts() {
		ConfigurableApplicationContext parent = parent(OfParent.class);
		assertThatExceptionOfType(DelayedListenerDefinitionException.class)
			.isThrownBy(() -> start(parent, Auto.class, OfParent.class))
			.withMessageContaining("already has a listener in a parent context");
		assertThat(queues(parent)).containsExactly("of-parent");
	}

	@Test
	void listenersOfAChildWithoutAutoConfigurationPreventItsStart() {
		ConfigurableApplicationContext parent = parent();
		assertThatExceptionOfType(DelayedListenerDefinitionException.class)
			.isThrownBy(() -> start(parent, OfChild.class))
			.withMessageContaining("belongs to a child context without auto-configuration");
	}

	private ConfigurableApplicationContext parent(Class<?>... beans) {
		SpringApplicationBuilder application = new SpringApplicationBuilder(Auto.class).sources(beans);
		return run(application);
	}

	private ConfigurableApplicationContext start(ConfigurableApplicationContext parent, Class<?>... beans) {
		return run(new SpringApplicationBuilder(beans).parent(parent));
	}

	private ConfigurableApplicationContext run(SpringApplicationBuilder application) {
		ConfigurableApplicationContext context = application.web(WebApplicationType.NONE)
			.properties(this.properties)
			.run();
		this.started.add(context);
		return context;
	}

	private static void schedule(DelayQueueOperations operations, String queue, String payload) {
		operations.schedule(queue, payload, Duration.ZERO);
	}

	private static List<String> queues(ConfigurableApplicationContext context) {
		return context.getBean(DelayedListenerRegistry.class)
			.containers()
			.stream()
			.map(DelayedListenerContainer::queue)
			.toList();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DelayQueueAutoConfiguration.class,
			DelayQueueChildContextAutoConfiguration.class })
	static class Auto {

	}

	static class OfParent {

		@DelayedListener(queue = "of-parent")
		void handle(String payload) {
			handled.add(payload);
		}

	}

	static class OfChild {

		@DelayedListener(queue = "of-child")
		@Recurring(key = "daily", cron = "0 0 9 * * *")
		void handle(String payload) {
			handled.add(payload);
		}

	}

}
