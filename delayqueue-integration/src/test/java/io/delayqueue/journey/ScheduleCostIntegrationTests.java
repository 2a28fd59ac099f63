package io.delayqueue.journey;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The commands that Redis executes for one message, including those inside the script.
 */
@Tag("slow")
class ScheduleCostIntegrationTests {

	/** The minimum of commands for a message without a group. */
	private static final Map<String, Integer> PLAIN = Map.of("evalsha", 1, "hmget", 3, "time", 1, "zcount", 1,
			"zmscore", 3, "xlen", 1, "hexists", 1, "zadd", 1, "hset", 1);

	private static final Map<String, Integer> NEW = Map.of("evalsha", 1, "hmget", 2, "time", 1, "zcount", 1, "zmscore",
			1, "zadd", 1, "hset", 1);

	@Test
	void messageWithoutAGroupCostsNothingForGroupsExpiryAndPolicies() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations queue = applications.producer();
			queue.schedule(request("first"));
			queue.schedule(request("grouped").group("g").expireAfter(Duration.ofMinutes(1)));
			awaitHint(redis);
			redis.call("CONFIG", "RESETSTAT");

			queue.schedule(request("plain"));

			Map<String, Integer> plain = commands(redis);
			assertThat(plain).containsExactlyInAnyOrderEntriesOf(PLAIN);
			redis.call("CONFIG", "RESETSTAT");
			queue.schedule(request("another").group("g"));
			assertThat(commands(redis)).as("a message with a group costs more").isNotEqualTo(plain);
		}
	}

	@Test
	void generatedIdIsNotSearchedInEveryKey() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			DelayQueueOperations queue = applications.producer();
			ScheduleRequest request = ScheduleRequest.to("cost").payload("p").delay(Duration.ofMinutes(10));
			queue.schedule(request);
			queue.schedule(request);
			awaitHint(redis);
			redis.call("CONFIG", "RESETSTAT");

			queue.schedule(request);

			assertThat(commands(redis)).containsExactlyInAnyOrderEntriesOf(NEW);
		}
	}

	@Test
	void queueWithoutGroupsHasNoKeysOfGroups() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			applications.producer().schedule(request("plain"));

			for (String key : new String[] { "grouped", "groups", "active", "parked", "expiries" }) {
				assertThat(redis.call("EXISTS", applications.prefix() + ":{cost:0}:" + key)).as(key).isEqualTo(0L);
			}
		}
	}

	private static ScheduleRequest request(String id) {
		return ScheduleRequest.to("cost").id(id).payload("p").delay(Duration.ofMinutes(10));
	}

	/** The first message is a new head: its hint is sent in the background. */
	private static void awaitHint(RedisServer redis) {
		Awaitility.await().until(() -> redis.client().text("INFO", "commandstats").contains("cmdstat_publish"));
	}

	/** Calls by command, without those that read them or open a connection. */
	private static Map<String, Integer> commands(RedisServer redis) {
		Map<String, Integer> calls = new TreeMap<>();
		redis.client()
			.text("INFO", "commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_"))
			.forEach((line) -> {
				String name = line.substring("cmdstat_".length(), line.indexOf(':'));
				String count = line.substring(line.indexOf("calls=") + "calls=".length(), line.indexOf(','));
				calls.put(name, Integer.parseInt(count));
			});
		calls.keySet()
			.removeIf((name) -> name.startsWith("config") || name.equals("info") || name.equals("ping")
					|| name.equals("publish") || name.startsWith("client"));
		return calls;
	}

}
