package io.delayqueue.autoconfigure;

import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.event.MessageDroppedEvent;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.EventPublisher;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The context class loader of threads that start because of a request.
 */
class ThreadClassLoaderIntegrationTests {

	@Test
	void noThreadKeepsTheClassLoaderOfARequest() throws Exception {
		ClassLoader ofTheApplication = Thread.currentThread().getContextClassLoader();
		try (TestApplication application = new TestApplication(SharedRedis.get().uri());
				URLClassLoader ofTheRequest = new URLClassLoader(new URL[0], ofTheApplication)) {
			ConfigurableApplicationContext context = application.start(Surroundings.class);
			Surroundings surroundings = context.getBean(Surroundings.class);
			request(ofTheRequest, () -> {
				context.getBean(DelayQueueOperations.class).schedule("orders", "o", Duration.ZERO);
				context.getBean(DelayedListenerRegistry.class).start("orders");
			});
			await().until(() -> surroundings.names.contains("handler"));
			request(ofTheRequest, () -> context.getBean(EventPublisher.class).dropped("orders", "g", "o"));
			await().until(() -> surroundings.names.contains("event"));
			assertThat(surroundings.classLoaders).containsExactly(ofTheApplication);
			assertThat(Thread.getAllStackTraces().keySet())
				.filteredOn((thread) -> thread.getContextClassLoader() == ofTheRequest)
				.isEmpty();
		}
	}

	private static void request(ClassLoader classLoader, Runnable work) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		Thread request = new Thread(() -> {
			try {
				work.run();
				done.complete(null);
			}
			catch (RuntimeException ex) {
				done.completeExceptionally(ex);
			}
		});
		request.setContextClassLoader(classLoader);
		request.start();
		done.join();
	}

	static class Surroundings {

		final Set<String> names = ConcurrentHashMap.newKeySet();

		final Set<ClassLoader> classLoaders = ConcurrentHashMap.newKeySet();

		@DelayedListener(queue = "orders", autoStartup = "false")
		void handle(String payload) {
			add("handler");
		}

		@EventListener
		void on(MessageDroppedEvent event) {
			add("event");
		}

		private void add(String name) {
			this.classLoaders.add(Thread.currentThread().getContextClassLoader());
			this.names.add(name);
		}

	}

}
