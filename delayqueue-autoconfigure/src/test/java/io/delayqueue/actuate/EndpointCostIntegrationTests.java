package io.delayqueue.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * However many messages wait or lie among the dead letters, the scripts of a call are as
 * long as with a tenth of them, by Redis's own watch. Of several rounds the shortest one
 * counts, for the machine may be busy elsewhere; what looks at all messages is ten times
 * as long in each of them.
 */
class EndpointCostIntegrationTests {

	private static final int ROUNDS = 5;

	private static final int TENTH = 10;

	/** Of a search among ten times as many, and of what a clock cannot tell apart. */
	private static final int MORE = 3;

	private static final long ALIKE_MICROS = 200;

	@Test
	void noCallTakesLongerForWhatItDoesNotShow() {
		assertAsShortAsWithATenth(50_000, 50_000);
	}

	@Test
	@Tag("slow")
	void noCallTakesLongerForWhatItDoesNotShowOfAMillion() {
		assertAsShortAsWithATenth(1_000_000, 100_000);
	}

	private static void assertAsShortAsWithATenth(int waiting, int dead) {
		Map<String, Long> ofFew = micros(waiting / TENTH, dead / TENTH);
		Map<String, Long> ofMany = micros(waiting, dead);
		assertThat(ofMany).hasSameSizeAs(ofFew)
			.allSatisfy((path, micros) -> assertThat(micros).as("us of %s", path)
				.isLessThan(MORE * ofFew.getOrDefault(path, 0L) + ALIKE_MICROS));
	}

	/** How long the scripts of each call have run at least, us. */
	private static Map<String, Long> micros(int waiting, int dead) {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri());
				RespClient client = redis.client()) {
			ManyMessages.fill(client, application, waiting, dead);
			assertThatAReasonThatNothingHasIsLookedForInTurns(application, dead);
			redis.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
			redis.call("CONFIG", "SET", "slowlog-max-len", "10000");
			Map<String, Long> shortest = new LinkedHashMap<>();
			paths(application).forEach((name, path) -> {
				for (int round = 0; round < ROUNDS; round++) {
					redis.call("SLOWLOG", "RESET");
					assertThat(application.get(path).status()).as(path).isEqualTo(200);
					shortest.merge(name, scripts(client), Math::min);
				}
			});
			return shortest;
		}
	}

	private static void assertThatAReasonThatNothingHasIsLookedForInTurns(WebApplication application, int dead) {
		String path = "/actuator/delayqueue/orders/dead-letters?reason=CRASHED";
		JsonNode page = application.get(path).json();
		int pages = 1;
		while (page.has("next")) {
			assertThat(page.get("deadLetters").size()).isZero();
			page = application.get(path + "&from=" + page.get("next").asString()).json();
			pages++;
		}
		assertThat(page.get("deadLetters").size()).isZero();
		assertThat(pages).as("in steps of 5,000").isEqualTo(dead / 5000);
	}

	/** What to call, by what it shows. */
	private static Map<String, String> paths(WebApplication application) {
		String orders = "/actuator/delayqueue/orders";
		Map<String, String> paths = new LinkedHashMap<>();
		List<String> first = new ArrayList<>(List.of("/actuator/delayqueue", orders, orders + "/message?id=id-000007",
				orders + "/message?id=dead-000007", orders + "/dead-letters", orders + "/dead-letters?limit=1000",
				orders + "/dead-letters?limit=1000&reason=HANDLER_FAILED", orders + "/dead-letters?reason=CRASHED"));
		for (String state : List.of("SCHEDULED", "READY", "PENDING", "DEAD")) {
			String list = orders + "/messages?state=" + state;
			first.add(list);
			first.add(list + "&limit=1000");
			// Deep among messages that are due at the same millisecond
			String next = null;
			for (int page = 0; page < 4; page++) {
				next = application.get(list + "&limit=1000" + ((next != null) ? "&from=" + next : ""))
					.json()
					.get("next")
					.asString();
			}
			paths.put(list + " far behind", list + "&limit=1000&from=" + next);
		}
		first.forEach((path) -> paths.put(path, path));
		return paths;
	}

	/** How long the scripts have run, all together. */
	private static long scripts(RespClient redis) {
		long[] micros = ((List<?>) redis.call("SLOWLOG", "GET", "10000")).stream()
			.map((entry) -> (List<?>) entry)
			.filter((entry) -> ((List<?>) entry.get(3)).get(0).toString().toUpperCase().startsWith("EVAL"))
			.mapToLong((entry) -> (Long) entry.get(2))
			.toArray();
		assertThat(micros).isNotEmpty();
		long all = 0;
		for (long one : micros) {
			all += one;
		}
		return all;
	}

}
