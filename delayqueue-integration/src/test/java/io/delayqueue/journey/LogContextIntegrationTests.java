package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.delayqueue.DelayQueueMdc;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** The MDC of log lines about a message. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class LogContextIntegrationTests {

	private static final Logger library = (Logger) LoggerFactory.getLogger("io.delayqueue");

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	private TestApplication application;

	private Listener listener;

	private DelayQueueOperations queue;

	@BeforeEach
	void start() {
		this.application = new TestApplication(SharedRedis.get().uri()).with("delayqueue.defaults.max-attempts=1");
		ConfigurableApplicationContext context = this.application.start(Listener.class, OwnThread.class);
		this.listener = context.getBean(Listener.class);
		this.queue = context.getBean(DelayQueueOperations.class);
		// After the start, which initialises the logging system
		this.lines.list = new CopyOnWriteArrayList<>();
		this.lines.start();
		library.addAppender(this.lines);
	}

	@AfterEach
	void stop() {
		library.detachAppender(this.lines);
		this.application.close();
	}

	static class Listener {

		/** The MDC of each message's handler. */
		final Map<String, Map<String, String>> mdc = new ConcurrentHashMap<>();

		final Map<String, CompletableFuture<Void>> stages = new ConcurrentHashMap<>();

		@DelayedListener(queue = "orders", concurrency = "1", executor = "ownThread")
		void handle(DelayedMessage<String> message) {
			this.mdc.put(message.id(), MDC.getCopyOfContextMap());
			MDC.put("left", "behind");
			MDC.remove("own");
			if (message.payload().equals("bad")) {
				throw new IllegalStateException("no way");
			}
		}

		@DelayedListener(queue = "stages")
		CompletionStage<Void> stage(DelayedMessage<String> message) {
			this.mdc.put(message.id(), MDC.getCopyOfContextMap());
			return this.stages.computeIfAbsent(message.id(), (id) -> new CompletableFuture<>());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnThread {

		/** The MDC before and after each run. */
		static final List<Map<String, String>> around = new CopyOnWriteArrayList<>();

		@Bean(destroyMethod = "shutdownNow")
		ExecutorService thread() {
			return Executors.newSingleThreadExecutor();
		}

		@Bean
		Executor ownThread(ExecutorService thread) {
			return (task) -> thread.execute(() -> {
				MDC.put("own", "context");
				MDC.put(DelayQueueMdc.ID, "mine");
				task.run();
				around.add(MDC.getCopyOfContextMap());
			});
		}

	}

	@Test
	void mdcHasQueueAndIdDuringAHandlerAndIsRestoredAfterIt() {
		schedule("orders", "a", "good");
		schedule("orders", "b", "good");
		this.queue.schedule(ScheduleRequest.to("orders").id("c").group("g").payload("good").delay(Duration.ZERO));

		Awaitility.await().until(() -> this.listener.mdc.size() == 3);
		assertThat(this.listener.mdc.get("c")).containsEntry(DelayQueueMdc.GROUP, "g");
		for (String id : List.of("a", "b")) {
			assertThat(this.listener.mdc.get(id)).containsExactlyInAnyOrderEntriesOf(
					Map.of("own", "context", DelayQueueMdc.QUEUE, "orders", DelayQueueMdc.ID, id));
		}
		Awaitility.await().until(() -> !OwnThread.around.isEmpty());
		assertThat(OwnThread.around)
			.allSatisfy((after) -> assertThat(after).isEqualTo(Map.of("own", "context", DelayQueueMdc.ID, "mine")));
	}

	@Test
	void logLineAboutAFailureHasQueueAndId() {
		schedule("orders", "bad", "bad");
		assertThat(lineAbout("bad").getMDCPropertyMap()).containsEntry(DelayQueueMdc.QUEUE, "orders")
			.containsEntry(DelayQueueMdc.ID, "bad");
	}

	@Test
	void failureOfAStageIsLoggedWithQueueAndIdAndRestoresTheMdcOfItsThread() {
		schedule("stages", "late", "x");
		Awaitility.await().until(() -> this.listener.stages.containsKey("late"));
		assertThat(this.listener.mdc.get("late")).containsEntry(DelayQueueMdc.ID, "late");

		MDC.put("own", "test");
		try {
			CompletableFuture<Void> stage = this.listener.stages.get("late");
			assertThat(stage).isNotNull();
			stage.completeExceptionally(new IllegalStateException("no way"));
			assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("own", "test"));
		}
		finally {
			MDC.clear();
		}

		assertThat(lineAbout("late").getMDCPropertyMap()).containsEntry(DelayQueueMdc.ID, "late");
	}

	private ILoggingEvent lineAbout(String id) {
		return Awaitility.await()
			.until(() -> this.lines.list.stream()
				.filter((line) -> line.getFormattedMessage().startsWith("Message '" + id + "'"))
				.findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	private void schedule(String name, String id, String payload) {
		this.queue.schedule(ScheduleRequest.to(name).payload(payload).id(id).delay(Duration.ZERO));
	}

}
