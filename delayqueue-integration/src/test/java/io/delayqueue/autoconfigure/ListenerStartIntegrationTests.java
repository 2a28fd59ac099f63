package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application may start its listeners when it is ready instead of before its runners.
 */
class ListenerStartIntegrationTests {

	private static final List<String> seen = new CopyOnWriteArrayList<>();

	@Test
	void listenersWithoutAutoStartupStartWhenTheApplicationIsReady() {
		try (TestApplication application = new TestApplication(SharedRedis.get().uri())
			.with("delayqueue.listener.auto-startup=false")) {
			application.start(Orders.class);
			await().until(() -> seen.contains("handled"));
		}
		assertThat(seen).containsExactly("runner: false", "ready", "handled");
	}

	static class Orders implements ApplicationRunner {

		private final DelayQueueOperations delayQueue;

		private final ObjectProvider<DelayedListenerRegistry> listeners;

		Orders(DelayQueueOperations delayQueue, ObjectProvider<DelayedListenerRegistry> listeners) {
			this.delayQueue = delayQueue;
			this.listeners = listeners;
		}

		@Override
		public void run(ApplicationArguments arguments) {
			this.delayQueue.schedule("orders", "one", Duration.ZERO);
			seen.add("runner: " + this.listeners.getObject().container("orders").orElseThrow().isRunning());
		}

		@EventListener(ApplicationReadyEvent.class)
		void ready() {
			seen.add("ready");
			this.listeners.getObject().start();
		}

		@DelayedListener(queue = "orders")
		void handle(String order) {
			seen.add("handled");
		}

	}

}
