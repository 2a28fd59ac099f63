package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.event.DelayQueueEvent;
import io.delayqueue.event.ListenerPausedEvent;
import io.delayqueue.event.ListenerResumedEvent;
import io.delayqueue.event.MessageDeadLetteredEvent;
import io.delayqueue.event.MessagesLostEvent;
import io.delayqueue.event.MessagesRepairedEvent;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/** The application events of the library. */
@SuppressWarnings("NullAway.Init")
class EventsIntegrationTests {

	private RedisServer redis;

	private TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri()).with("delayqueue.defaults.visibility-timeout=30s")
			.with("delayqueue.defaults.max-attempts=1")
			.with("delayqueue.defaults.max-crashes=1");
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	static class Alarms {

		final List<DelayQueueEvent> events = new CopyOnWriteArrayList<>();

		final List<MessageDeadLetteredEvent> dead = new CopyOnWriteArrayList<>();

		@EventListener
		void any(DelayQueueEvent event) {
			this.events.add(event);
		}

		@EventListener
		void dead(MessageDeadLetteredEvent event) {
			this.dead.add(event);
		}

	}

	static class Listener {

		final Handled handled = new Handled();

		final CountDownLatch go = new CountDownLatch(1);

		@DelayedListener(queue = "orders")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.handled.add(message);
			if (message.payload().equals("wait") && this.handled.runs().size() == 1) {
				this.go.await();
				throw new IllegalArgumentException("too late");
			}
			if (message.payload().equals("bad")) {
				throw new IllegalStateException("no way");
			}
		}

	}

	@Test
	void deadLetteredMessageIsPublishedOnceWithItsReason() {
		ConfigurableApplicationContext app = this.applications.start(Alarms.class, Listener.class);
		schedule(app, "good", "good");
		schedule(app, "m", "bad");

		Alarms alarms = app.getBean(Alarms.class);
		MessageDeadLetteredEvent expected = new MessageDeadLetteredEvent("orders", "m", null, "HANDLER_FAILED",
				IllegalStateException.class.getName(), "no way");
		Awaitility.await().untilAsserted(() -> assertThat(alarms.dead).containsExactly(expected));
		app.close();
		assertThat(alarms.events).containsExactly(expected);
	}

	@Test
	void lostReplyNeitherDropsNorRepeatsAnEvent() {
		try (FaultProxy way = FaultProxy.to(this.redis);
				TestApplication disturbed = new TestApplication(way.uri()).with("delayqueue.defaults.max-attempts=1")) {
			ConfigurableApplicationContext app = disturbed.start(Alarms.class, Listener.class);
			Alarms alarms = app.getBean(Alarms.class);
			// Redis does not have the script in its cache before
			schedule(app, "warm", "bad");
			Awaitility.await().until(() -> alarms.dead.size() == 1);
			way.cutNextReplyTo("HANDLER_FAILED");
			schedule(app, "m", "bad");

			Awaitility.await().until(() -> alarms.dead.size() == 2);
			assertThat(way.cuts()).isOne();
			app.close();
			assertThat(alarms.dead).extracting(MessageDeadLetteredEvent::id).containsExactly("warm", "m");
		}
	}

	@Tag("slow")
	@Test
	void messageThatKilledItsProcessesIsPublishedByTheReclaimingProcess() {
		this.applications.with("delayqueue.defaults.visibility-timeout=1s");
		DelayQueueOperations producer = this.applications.producer();
		producer.schedule(request("m", "good"));
		silentConsumerTakes(1);
		List<?> pending = (List<?>) this.redis.call("XPENDING", key("ready"), "consumers", "-", "+", "1");
		String entry = (String) ((List<?>) pending.get(0)).get(0);
		// Redis stores that the message ran alone
		this.redis.call("XCLAIM", key("ready"), "consumers", "silent", "0", entry, "RETRYCOUNT", "100", "JUSTID");

		ConfigurableApplicationContext app = this.applications.start(Alarms.class, Listener.class);

		Alarms alarms = app.getBean(Alarms.class);
		Awaitility.await().untilAsserted(() -> assertThat(alarms.dead).singleElement().satisfies((event) -> {
			assertThat(event.id()).isEqualTo("m");
			assertThat(event.reason()).isEqualTo("CRASHED");
			assertThat(event.exception()).isNull();
			assertThat(event.message()).contains("max-crashes");
		}));
	}

	@Test
	void abandonedHandlerEndsItsMessageOnceAndItsLateFailureDoesNotCount() {
		this.applications.with("delayqueue.defaults.timeout=1s")
			.with("delayqueue.defaults.never-retried=java.lang.IllegalArgumentException");
		ConfigurableApplicationContext app = this.applications.start(Alarms.class, Listener.class);
		schedule(app, "m", "wait");

		Alarms alarms = app.getBean(Alarms.class);
		Awaitility.await().until(() -> !alarms.events.isEmpty());
		assertThat(alarms.dead).extracting(MessageDeadLetteredEvent::reason).containsExactly("TIMED_OUT");
		app.getBean(Listener.class).go.countDown();
		app.close();

		assertThat(alarms.events).hasSize(1);
	}

	@Tag("slow")
	@Test
	void lostAndRepairedMessagesArePublished() {
		DelayQueueOperations producer = this.applications.producer();
		producer.schedule(request("lost", "good"));
		producer.schedule(ScheduleRequest.to("orders").payload("good").id("nowhere").delay(Duration.ofHours(1)));
		this.redis.call("HDEL", key("messages"), "lost");
		this.redis.call("ZREM", key("scheduled"), "nowhere");

		this.applications.with("delayqueue.maintenance.interval=10s");
		ConfigurableApplicationContext app = this.applications.start(Alarms.class, Listener.class);

		Alarms alarms = app.getBean(Alarms.class);
		Awaitility.await()
			.untilAsserted(() -> assertThat(alarms.events).containsExactlyInAnyOrder(
					new MessagesLostEvent("orders", List.of(new MessagesLostEvent.Message("lost", null))),
					new MessagesRepairedEvent("orders", MessagesRepairedEvent.Damage.NO_PLACE, 1)));
	}

	@Test
	void pauseAndResumeArePublishedWhenTheyChangeSomething() {
		ConfigurableApplicationContext app = this.applications.start(Alarms.class, Listener.class);
		DelayedListenerRegistry registry = app.getBean(DelayedListenerRegistry.class);
		registry.resume("orders");
		registry.pause("orders");
		registry.pause("orders");
		registry.resume("orders");

		Alarms alarms = app.getBean(Alarms.class);
		app.close();
		assertThat(alarms.events).containsExactly(new ListenerPausedEvent("orders"),
				new ListenerResumedEvent("orders"));
	}

	static class Hanging {

		final CountDownLatch go = new CountDownLatch(1);

		@EventListener
		void hang(MessageDeadLetteredEvent event) throws InterruptedException {
			this.go.await();
		}

	}

	@Test
	void hangingEventListenerCostsNoMessageItsLease() {
		this.applications.with("delayqueue.defaults.visibility-timeout=3s");
		ConfigurableApplicationContext app = this.applications.start(Hanging.class, Listener.class);
		for (int i = 0; i < 20; i++) {
			schedule(app, "bad-" + i, "bad");
		}
		schedule(app, "m", "good");

		Listener listener = app.getBean(Listener.class);
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		listener.handled.await(21);
		Awaitility.await().until(() -> queue.find("orders", "m").isEmpty());
		assertThat(listener.handled.runs()).hasSize(21);
		app.getBean(Hanging.class).go.countDown();
	}

	/** Sweeps, and reads with a consumer that then falls silent. */
	private void silentConsumerTakes(int count) {
		try (ConfigurableApplicationContext other = this.applications.start()) {
			Partition partition = new Partition("orders", 0);
			ReadyMessages ready = new ReadyMessages(other.getBean(DelayQueueEngine.class).calls());
			new DueMessages(other.getBean(DelayQueueEngine.class).calls()).sweep(partition,
					new SweepLimits(count, 1000, GroupLimit.NONE, Map.of()), "", "none", 0);
			assertThat(ready.read(partition, "silent", count).entries()).hasSize(count);
		}
	}

	private String key(String name) {
		return this.applications.prefix() + ":{orders:0}:" + name;
	}

	private static void schedule(ConfigurableApplicationContext app, String id, String payload) {
		app.getBean(DelayQueueOperations.class).schedule(request(id, payload));
	}

	private static ScheduleRequest request(String id, String payload) {
		return ScheduleRequest.to("orders").payload(payload).id(id).delay(Duration.ZERO);
	}

}
