package io.delayqueue.maintain;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoublePredicate;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.test.redis.RedisServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The keys of a queue are damaged while an application consumes it. All queues are
 * damaged at the start, each in a different way; then each test checks one of them.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class DamagedQueueIntegrationTests {

	private static final List<String> IDS = IntStream.range(0, 20).mapToObj((i) -> "m-" + i).toList();

	private static final Duration WAIT = Duration.ofSeconds(4);

	private static RedisServer redis;

	private static TestApplication applications;

	private static DamagedQueueListeners listeners;

	private static DelayQueueOperations queues;

	private static MeterRegistry meters;

	private static final List<ILoggingEvent> logged = new CopyOnWriteArrayList<>();

	private static final AppenderBase<ILoggingEvent> log = new AppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			logged.add(event);
		}

	};

	@BeforeAll
	static void damageAll() {
		redis = RedisServer.builder().start();
		applications = new TestApplication(redis.uri()).with("delayqueue.maintenance.interval=10s")
			.with("delayqueue.queues.dead.max-attempts=1")
			.with("delayqueue.defaults.visibility-timeout=5m");
		ConfigurableApplicationContext context = applications.start(DamagedQueueListeners.class);
		listeners = context.getBean(DamagedQueueListeners.class);
		queues = context.getBean(DelayQueueOperations.class);
		meters = context.getBean(MeterRegistry.class);
		log.start();
		logger().addAppender(log);
		DelayedListenerRegistry registry = context.getBean(DelayedListenerRegistry.class);
		schedule("dead", Duration.ZERO);
		List<String> held = List.of("ready", "entries", "messages-ready", "group", "consumer", "renamed");
		for (String queue : held) {
			registry.container(queue).orElseThrow().pause();
			schedule(queue, Duration.ZERO);
			await().until(() -> redis.call("XLEN", key(queue, "ready")).equals((long) IDS.size()));
		}
		await().until(() -> IDS.stream()
			.allMatch((id) -> queues.find("dead", id).map(MessageSnapshot::state).orElseThrow() == MessageState.DEAD));
		schedule("scheduled", WAIT);
		schedule("messages", Duration.ofDays(1));

		redis.call("DEL", key("scheduled", "scheduled"));
		redis.call("DEL", key("ready", "ready"));
		redis.call("DEL", key("entries", "entries"));
		redis.call("DEL", key("dead", "dead"));
		redis.call("DEL", key("messages", "messages"));
		redis.call("DEL", key("messages-ready", "messages"));
		for (String queue : List.of("group", "consumer")) {
			createGroup(key(queue, "ready"));
			redis.call("XREADGROUP", "GROUP", "consumers", "gone", "STREAMS", key(queue, "ready"), ">");
		}
		redis.call("XGROUP", "DESTROY", key("group", "ready"), "consumers");
		redis.call("XGROUP", "DELCONSUMER", key("consumer", "ready"), "consumers", "gone");
		redis.call("RENAME", key("renamed", "ready"), key("renamed", "ready") + ":moved");
		held.forEach((queue) -> registry.container(queue).orElseThrow().resume());
	}

	/** Creates the group, unless the listener created it before it was paused. */
	private static void createGroup(String stream) {
		if (((List<?>) redis.call("XINFO", "GROUPS", stream)).isEmpty()) {
			redis.call("XGROUP", "CREATE", stream, "consumers", "0");
		}
	}

	@AfterAll
	static void stop() {
		logger().detachAppender(log);
		applications.close();
		redis.close();
	}

	private static Logger logger() {
		return (Logger) LoggerFactory.getLogger("io.delayqueue");
	}

	@Test
	@DisplayName("row 30: after DEL of scheduled each message is handled, and none before its due time")
	void scheduledDeleted() {
		assertAllHandled("scheduled");
		assertReported("scheduled", "no_place", IDS.size());
	}

	@Test
	@DisplayName("row 30: after DEL of the stream each message is handled")
	void readyDeleted() {
		assertAllHandled("ready");
		assertReported("ready", "no_place", IDS.size());
		assertLogged(Level.WARN, ".*Partition ready:0 was damaged: 20 messages had only a record.* and 10 more");
	}

	@Test
	@DisplayName("row 30: after DEL of entries each message is handled")
	void entriesDeleted() {
		assertAllHandled("entries");
		assertReported("entries", "no_place", IDS.size());
	}

	@Test
	@DisplayName("row 30: after DEL of the dead letters each gets one more attempt, and is a dead letter again")
	void deadDeleted() {
		assertReported("dead", "no_place", IDS.size());
		await().until(() -> IDS.stream()
			.allMatch((id) -> queues.find("dead", id).map(MessageSnapshot::state).orElseThrow() == MessageState.DEAD));
		assertThat(listeners.handled.runs().stream().filter((run) -> run.payload().equals("dead")))
			.hasSize(2 * IDS.size());
	}

	@Test
	@DisplayName("row 31: after DEL of the records the waiting ones are reported as lost, and the ids are free again")
	void messagesDeleted() {
		assertReported("messages", "lost", IDS.size());
		assertLogged(Level.ERROR, ".*Partition messages:0 was damaged: 20 messages are lost.* and 10 more");
		schedule("messages", Duration.ZERO);
		assertAllHandled("messages");
	}

	@Test
	@DisplayName("row 31: after DEL of the records the ones that are due are reported as lost too")
	void messagesDeletedWhileReady() {
		// A reader and a repair may both find a lost message before one of them removes
		// it
		assertReported("messages-ready", "lost", (count) -> count >= IDS.size());
		assertLogged(Level.ERROR, ".*messages-ready.*are lost.*");
	}

	@Test
	@DisplayName("row 33: after XGROUP DESTROY each message is handled, also what had been delivered")
	void groupDestroyed() {
		assertAllHandled("group");
	}

	@Test
	@DisplayName("row 33: after RENAME of the stream each message is handled")
	void readyRenamed() {
		assertAllHandled("renamed");
		assertReported("renamed", "no_place", IDS.size());
	}

	@Test
	@DisplayName("row 33: after DELCONSUMER each message that the consumer held is handled")
	void consumerDeleted() {
		assertAllHandled("consumer");
		assertReported("consumer", "no_place", IDS.size());
	}

	private static void assertAllHandled(String queue) {
		await().untilAsserted(() -> assertThat(listeners.handled(queue)).containsExactlyInAnyOrderElementsOf(IDS));
		await().until(() -> redis.call("HLEN", key(queue, "messages")).equals(0L));
	}

	private static void assertReported(String queue, String damage, int count) {
		assertReported(queue, damage, (reported) -> reported == count);
	}

	private static void assertReported(String queue, String damage, DoublePredicate isExpected) {
		await().untilAsserted(() -> {
			Counter counter = meters.find("delayqueue.repaired").tags("queue", queue, "damage", damage).counter();
			assertThat(counter).isNotNull();
			assertThat(counter.count()).matches(isExpected::test);
		});
	}

	private static void assertLogged(Level level, String pattern) {
		await().until(() -> logged.stream()
			.anyMatch((event) -> event.getLevel().equals(level) && event.getFormattedMessage().matches(pattern)));
	}

	private static void schedule(String queue, Duration delay) {
		for (String id : IDS) {
			queues.schedule(ScheduleRequest.to(queue).payload(queue).id(id).delay(delay));
		}
	}

	private static String key(String queue, String name) {
		return applications.prefix() + ":{" + queue + ":0}:" + name;
	}

	private static ConditionFactory await() {
		return Awaitility.await();
	}

}
