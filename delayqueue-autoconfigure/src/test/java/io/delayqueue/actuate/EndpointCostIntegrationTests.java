package io.delayqueue.actuate;

import java.util.ArrayList;
import java.util.Arrays;
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
 * However many messages wait or lie among the dead letters, and with 10,000 messages that
 * are due, no script of any call is long, by Redis's own watch. The bound is 5 ms, and
 * holds for the quick quarter of the scripts of each call: now and then the machine is
 * busy elsewhere.
 */
class EndpointCostIntegrationTests {

	private static final int ROUNDS = 12;

	private static final long BOUND_MICROS = 5000;

	@Test
	void noScriptOfACallIsLong() {
		assertShort(100_000, 10_000);
	}

	@Test
	@Tag("slow")
	void noScriptOfACallIsLongWithAMillionThatWait() {
		assertShort(1_000_000, 100_000);
	}

	private static void assertShort(int waiting, int dead) {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri());
				RespClient client = redis.client()) {
			ManyMessages.fill(client, application, waiting, dead);
			assertThatAReasonThatNothingHasIsLookedForInTurns(application, dead);
			redis.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
			redis.call("CONFIG", "SET", "slowlog-max-len", "10000");
			Map<String, long[]> figures = new LinkedHashMap<>();
			for (String path : paths(application)) {
				assertThat(application.get(path).status()).as(path).isEqualTo(200);
				redis.call("SLOWLOG", "RESET");
				long[] nanos = new long[ROUNDS];
				for (int round = 0; round < ROUNDS; round++) {
					long asked = System.nanoTime();
					assertThat(application.get(path).status()).as(path).isEqualTo(200);
					nanos[round] = System.nanoTime() - asked;
				}
				Arrays.sort(nanos);
				String name = path.replaceAll("from=[^&]+", "from=...");
				System.out.println("GET " + name + ": median " + nanos[ROUNDS / 2] / 1000 + " us");
				figures.put(name, scripts(client));
			}
			figures.forEach((path,
					micros) -> System.out.println("Scripts of GET " + path + ": " + micros.length / ROUNDS
							+ " a call, quick quarter " + micros[micros.length / 4] + " us, median "
							+ micros[micros.length / 2] + " us, slowest " + micros[micros.length - 1] + " us"));
			assertThat(figures)
				.allSatisfy((path, micros) -> assertThat(micros[micros.length / 4]).as(path).isLessThan(BOUND_MICROS));
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

	private static List<String> paths(WebApplication application) {
		String orders = "/actuator/delayqueue/orders";
		List<String> paths = new ArrayList<>(List.of("/actuator/delayqueue", orders, orders + "/message?id=id-000007",
				orders + "/message?id=dead-000007", orders + "/dead-letters", orders + "/dead-letters?limit=1000",
				orders + "/dead-letters?limit=1000&reason=HANDLER_FAILED", orders + "/dead-letters?reason=CRASHED"));
		for (String state : List.of("SCHEDULED", "READY", "PENDING", "DEAD")) {
			String list = orders + "/messages?state=" + state;
			paths.add(list);
			paths.add(list + "&limit=1000");
			// Deep among messages that are due at the same millisecond
			String next = null;
			for (int page = 0; page < 4; page++) {
				next = application.get(list + "&limit=1000" + ((next != null) ? "&from=" + next : ""))
					.json()
					.get("next")
					.asString();
			}
			paths.add(list + "&limit=1000&from=" + next);
		}
		return paths;
	}

	/** How long each script has run, the quickest first, us. */
	private static long[] scripts(RespClient redis) {
		return ((List<?>) redis.call("SLOWLOG", "GET", "10000")).stream()
			.map((entry) -> (List<?>) entry)
			.filter((entry) -> ((List<?>) entry.get(3)).get(0).toString().toUpperCase().startsWith("EVAL"))
			.mapToLong((entry) -> (Long) entry.get(2))
			.sorted()
			.toArray();
	}

}
