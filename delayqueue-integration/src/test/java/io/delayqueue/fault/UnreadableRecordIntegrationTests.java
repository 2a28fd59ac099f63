package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Records of another program, and records that no listener can convert. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class UnreadableRecordIntegrationTests {

	private static final String MARK = "to be replaced";

	private static RedisServer redis;

	private static TestApplication application;

	private static ConfigurableApplicationContext context;

	private static DelayQueueOperations queue;

	private static Trees trees;

	@BeforeAll
	static void start() {
		redis = RedisServer.builder().start();
		application = new TestApplication(redis.uri()).with("delayqueue.sweeper.interval=50ms");
		context = application.start(Trees.class);
		queue = context.getBean(DelayQueueOperations.class);
		trees = context.getBean(Trees.class);
	}

	@AfterAll
	static void stop() {
		application.close();
		redis.close();
	}

	@AfterEach
	void forget() {
		redis.call("DEL", key("messages"), key("dead"), key("failures"), key("done"));
		trees.handled.clear();
	}

	static class Trees {

		final List<Map<String, Object>> handled = new CopyOnWriteArrayList<>();

		@DelayedListener(queue = "trees")
		void handle(Map<String, Object> tree) {
			this.handled.add(tree);
		}

	}

	static List<String> payloads() {
		int deep = 100_000;
		return List.of("{\"a\":".repeat(deep) + "1" + "}".repeat(deep), "[".repeat(deep), "{\"a\":", "17", "\"text\"",
				"\u0000\u0001", "{\"@class\":\"java.lang.Runtime\"}x", "");
	}

	@ParameterizedTest
	@MethodSource("payloads")
	@DisplayName("row 17: an unreadable payload is dead-lettered at once, and other messages are handled")
	void unreadablePayloadIsDeadLettered(String payload) {
		String record = recordOf("m");
		replace("m", record.replace("{\"mark\":\"" + MARK + "\"}", payload));

		assertOnlyThisIsDeadLettered("m");
	}

	static List<String> records() {
		return List.of("", "x", "9|1|{}", "\u0001", "1;1;", "{\"a\":1}", "x".repeat(300_000));
	}

	@ParameterizedTest
	@MethodSource("records")
	@DisplayName("row 17: a malformed record is dead-lettered at once, and other messages are handled")
	void malformedRecordIsDeadLettered(String record) {
		recordOf("m");
		replace("m", record);

		assertOnlyThisIsDeadLettered("m");
	}

	/** Schedules a message for later, and returns its record. */
	private String recordOf(String id) {
		queue.schedule(ScheduleRequest.to("trees").payload(Map.of("mark", MARK)).id(id).delay(Duration.ofHours(1)));
		String record = String.valueOf(redis.call("HGET", key("messages"), id));
		assertThat(record).contains("{\"mark\":\"" + MARK + "\"}");
		return record;
	}

	/** Overwrites the record, and makes the message due. */
	private void replace(String id, String record) {
		redis.call("HSET", key("messages"), id, record);
		redis.call("ZADD", key("scheduled"), "1", id);
	}

	private void assertOnlyThisIsDeadLettered(String id) {
		queue.schedule("trees", Map.of("leaf", 1), Duration.ZERO);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> trees.handled.equals(List.of(Map.of("leaf", 1))));
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(redis.call("ZCARD", key("dead"))).isEqualTo(1L));
		assertThat(String.valueOf(redis.call("HGET", key("failures"), id))).contains("UNREADABLE");
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(redis.call("XLEN", key("ready"))).isEqualTo(0L));
		assertThat(context.getBean(DelayQueueEngine.class).tasks().statuses())
			.allMatch((status) -> status.failures() == 0);
	}

	private static String key(String name) {
		return application.prefix() + ":{trees:0}:" + name;
	}

}
