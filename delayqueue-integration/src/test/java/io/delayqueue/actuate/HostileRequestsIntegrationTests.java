package io.delayqueue.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.HostileRequests;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Hostile requests are client errors: no server error, no stack trace, no markup of the
 * caller in a response, and no change in Redis.
 */
@Tag("slow")
class HostileRequestsIntegrationTests {

	private static final int COUNT = 400;

	private static final long SEED = 4;

	@Test
	void hostileRequestsAreClientErrors() {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri(),
						"management.endpoint.delayqueue.show-payloads=always")) {
			List<String> cursors = seed(redis, application);
			Map<String, Object> before = contents(redis);
			List<String> requests = HostileRequests.some(SEED, COUNT, cursors);
			assertThat(requests).hasSizeGreaterThanOrEqualTo(COUNT);
			Map<Integer, Integer> statuses = new TreeMap<>();
			for (int i = 0; i < requests.size(); i++) {
				String answer = application.raw(requests.get(i), (i % 10 == 0) ? "text/html" : "*/*");
				int status = Integer.parseInt(answer.substring(9, 12));
				statuses.merge(status, 1, Integer::sum);
				assertThat(status).as(requests.get(i)).isBetween(200, 499);
				assertThat(answer).as(requests.get(i))
					.doesNotContain("\tat ", "Exception", "io.delayqueue", "org.springframework", "redis.clients");
				if (answer.toLowerCase().contains("content-type: text/html")) {
					assertThat(answer).as(requests.get(i)).doesNotContain(HostileRequests.MARKUP, "<b>", "<img");
				}
			}
			System.out.println("Answers to " + requests.size() + " hostile requests, by status: " + statuses);
			assertThat(statuses).containsKeys(400, 404);
			assertThat(contents(redis)).isEqualTo(before);
			assertThat(application.get("/actuator/delayqueue/orders/messages?state=SCHEDULED").status()).isEqualTo(200);
		}
	}

	/** Some messages of each kind, and the cursors of pages. */
	private static List<String> seed(RedisServer redis, WebApplication application) {
		DelayQueueOperations delayQueue = application.bean(DelayQueueOperations.class);
		for (String id : List.of("a", "b", "c/d", HostileRequests.MARKUP)) {
			delayQueue.schedule(
					ScheduleRequest.to("orders").payload(HostileRequests.MARKUP).id(id).delay(Duration.ofHours(1)));
		}
		String key = application.prefix() + ":{orders:0}:";
		for (int i = 0; i < 5; i++) {
			redis.call("XADD", key + "ready", "1-" + (i + 1), "id", "ready-" + i);
			redis.call("HSET", key + "entries", "ready-" + i, "1-" + (i + 1));
			redis.call("HSET", key + "messages", "ready-" + i, "10000000000000001aaaaaaaaaaa\n\"p\"");
			redis.call("ZADD", key + "dead", "1", "dead-" + i);
		}
		List<String> cursors = new ArrayList<>();
		for (String view : List.of("messages?state=READY&limit=2", "dead-letters?limit=2")) {
			cursors.add(application.get("/actuator/delayqueue/orders/" + view).json().get("next").asString());
		}
		return cursors;
	}

	/** All keys with their contents. */
	private static Map<String, Object> contents(RedisServer redis) {
		Map<String, Object> contents = new TreeMap<>();
		for (Object key : (List<?>) redis.call("KEYS", "*")) {
			String name = key.toString();
			contents.put(name, switch (redis.client().text("TYPE", name)) {
				case "hash" -> fields((List<?>) redis.call("HGETALL", name));
				case "zset" -> redis.call("ZRANGE", name, "0", "-1", "WITHSCORES");
				case "stream" -> redis.call("XRANGE", name, "-", "+");
				default -> redis.call("GET", name);
			});
		}
		return contents;
	}

	/** Redis lists the fields in any order. */
	private static Map<String, Object> fields(List<?> listed) {
		Map<String, Object> fields = new TreeMap<>();
		for (int i = 0; i < listed.size(); i += 2) {
			fields.put(String.valueOf(listed.get(i)), listed.get(i + 1));
		}
		return fields;
	}

}
