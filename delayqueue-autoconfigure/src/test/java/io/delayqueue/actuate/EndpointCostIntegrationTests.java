package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With 100,000 messages that wait, 10,000 dead letters, and 10,000 messages that are due,
 * no script of any call is long, by Redis's own watch. The bound is 5 ms, and holds for
 * the quick quarter of the scripts of each call: now and then the machine is busy
 * elsewhere.
 */
class EndpointCostIntegrationTests {

	private static final int WAITING = 100_000;

	private static final int DEAD = 10_000;

	private static final int DUE = 10_000;

	private static final int STEP = 1000;

	private static final int ROUNDS = 12;

	private static final long BOUND_MICROS = 5000;

	private static final long FAR = Instant.parse("2100-01-01T00:00:00Z").toEpochMilli();

	@Test
	void noScriptOfACallIsLong() {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri());
				RespClient client = redis.client()) {
			fill(client, application);
			assertThatAReasonThatNothingHasIsLookedForInTurns(application);
			redis.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
			redis.call("CONFIG", "SET", "slowlog-max-len", "10000");
			Map<String, long[]> figures = new LinkedHashMap<>();
			for (String path : paths(application)) {
				assertThat(application.get(path).status()).as(path).isEqualTo(200);
				redis.call("SLOWLOG", "RESET");
				for (int round = 0; round < ROUNDS; round++) {
					assertThat(application.get(path).status()).as(path).isEqualTo(200);
				}
				figures.put(path.replaceAll("from=[^&]+", "from=..."), scripts(client));
			}
			figures.forEach((path,
					micros) -> System.out.println("Scripts of GET " + path + ": " + micros.length / ROUNDS
							+ " a call, quick quarter " + micros[micros.length / 4] + " us, median "
							+ micros[micros.length / 2] + " us, slowest " + micros[micros.length - 1] + " us"));
			assertThat(figures)
				.allSatisfy((path, micros) -> assertThat(micros[micros.length / 4]).as(path).isLessThan(BOUND_MICROS));
		}
	}

	private static void assertThatAReasonThatNothingHasIsLookedForInTurns(WebApplication application) {
		String path = "/actuator/delayqueue/orders/dead-letters?reason=CRASHED";
		JsonNode first = application.get(path).json();
		assertThat(first.get("deadLetters").size()).isZero();
		JsonNode second = application.get(path + "&from=" + first.get("next").asString()).json();
		assertThat(second.get("deadLetters").size()).isZero();
		assertThat(second.has("next")).as("10,000 in steps of 5,000").isFalse();
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

	private static void fill(RespClient redis, WebApplication application) {
		application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("first").delay(Duration.ofDays(1)));
		String key = application.prefix() + ":{orders:0}:";
		String record = "1%016daaaaaaaaaaa\n\"%s\"".formatted(FAR, "x".repeat(300));
		// Half of them due in one millisecond
		IntFunction<String> due = (i) -> Long.toString((i % 2 == 0) ? FAR : FAR + i);
		each(WAITING, "id-%06d", (ids) -> redis.call(words("HSET", key + "messages", ids, (i) -> record, false)));
		each(WAITING, "id-%06d", (ids) -> redis.call(words("ZADD", key + "scheduled", ids, due, true)));
		String failure = "5|0|0|1-1|HANDLER_FAILED|java.lang.IllegalStateException|" + "y".repeat(400);
		each(DEAD, "dead-%06d", (ids) -> {
			redis.call(words("HSET", key + "messages", ids, (i) -> record, false));
			redis.call(words("HSET", key + "failures", ids, (i) -> failure, false));
			redis.call(words("ZADD", key + "dead", ids, (i) -> "1", true));
		});
		redis.call("XGROUP", "CREATE", key + "ready", "consumers", "0", "MKSTREAM");
		for (int i = 1; i <= DUE; i++) {
			redis.call("XADD", key + "ready", "1-" + i, "id", "due-%06d".formatted(i - 1));
		}
		each(DUE, "due-%06d", (ids) -> {
			redis.call(words("HSET", key + "messages", ids, (i) -> record, false));
			redis.call(words("HSET", key + "entries", ids,
					(i) -> "1-" + (Integer.parseInt(ids.get(i).substring(4)) + 1), false));
		});
		for (int i = 0; i < 50; i++) {
			redis.call("XREADGROUP", "GROUP", "consumers", "consumer-" + i, "COUNT", Integer.toString(DUE / 100),
					"STREAMS", key + "ready", ">");
		}
	}

	private static void each(int count, String form, Consumer<List<String>> step) {
		for (int from = 0; from < count; from += STEP) {
			List<String> ids = new ArrayList<>();
			for (int i = from; i < from + STEP; i++) {
				ids.add(form.formatted(i));
			}
			step.accept(ids);
		}
	}

	private static String[] words(String command, String key, List<String> ids, IntFunction<String> value,
			boolean valueFirst) {
		String[] words = new String[2 + 2 * ids.size()];
		Arrays.setAll(words, (i) -> {
			if (i < 2) {
				return (i == 0) ? command : key;
			}
			int n = (i - 2) / 2;
			return ((i % 2 == 0) == valueFirst) ? value.apply(n) : ids.get(n);
		});
		return words;
	}

}
