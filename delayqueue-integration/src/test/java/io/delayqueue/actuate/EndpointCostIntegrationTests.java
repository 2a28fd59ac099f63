package io.delayqueue.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.actuate.fixture.ManyMessages;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.test.fault.CountingScripts;
import io.delayqueue.test.fault.CountingScripts.Cost;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cost of a call does not depend on the number of scheduled messages and dead
 * letters: the scripts send the same commands and receive as many values as with a tenth
 * of them.
 */
@Tag("slow")
class EndpointCostIntegrationTests {

	private static final int MANY = 50_000;

	private static final int FEW = MANY / 10;

	@Test
	void theCostOfACallDoesNotDependOnTheNumberOfMessages() {
		Map<String, Cost> ofFew = costs(FEW, FEW);
		Map<String, Cost> ofMany = costs(MANY, MANY);
		assertThat(ofMany).hasSameSizeAs(ofFew).allSatisfy((path, cost) -> {
			Cost few = ofFew.get(path);
			assertThat(cost.commands()).as("commands of %s", path).isPositive().isEqualTo(few.commands());
			assertThat(cost.values()).as("values of %s", path).isEqualTo(few.values());
			// Some numbers have one more digit
			assertThat(cost.bytes()).as("bytes of %s", path).isLessThanOrEqualTo(few.bytes() * 11 / 10);
		});
	}

	/** The cost of the scripts of each call. */
	private static Map<String, Cost> costs(int waiting, int dead) {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri());
				RespClient client = redis.client()) {
			ManyMessages.fill(client, application, waiting, dead);
			assertAnUnusedReasonIsSearchedInSeveralPages(application, dead);
			Map<String, String> paths = paths(application);
			CountingScripts scripts = CountingScripts.of(application.bean(RedisAccess.class).template(), client);
			Map<String, Cost> costs = new LinkedHashMap<>();
			paths.forEach((name, path) -> {
				assertThat(application.get(path).status()).as(path).isEqualTo(200);
				costs.put(name, scripts.cost());
			});
			return costs;
		}
	}

	private static void assertAnUnusedReasonIsSearchedInSeveralPages(WebApplication application, int dead) {
		String path = "/actuator/delayqueue/orders/dead-letters?reason=CRASHED";
		JsonNode page = page(application, path);
		int pages = 1;
		while (page.has("next")) {
			assertThat(page.get("deadLetters").size()).isZero();
			page = page(application, path + "&from=" + page.get("next").asString());
			pages++;
		}
		assertThat(page.get("deadLetters").size()).isZero();
		assertThat(pages).as("in steps of 5,000").isEqualTo(dead / 5000);
	}

	private static JsonNode page(WebApplication application, String path) {
		Answer answer = application.get(path);
		assertThat(answer.status()).as(answer.body()).isEqualTo(200);
		return answer.json();
	}

	/** The paths to call, by name. */
	private static Map<String, String> paths(WebApplication application) {
		String orders = "/actuator/delayqueue/orders";
		Map<String, String> paths = new LinkedHashMap<>();
		List<String> first = new ArrayList<>(List.of("/actuator/delayqueue", orders, orders + "/message?id=id-000007",
				orders + "/message?id=dead-000007", orders + "/dead-letters", orders + "/dead-letters?limit=1000",
				orders + "/dead-letters?limit=1000&reason=HANDLER_FAILED", orders + "/dead-letters?reason=CRASHED",
				orders + "/messages?state=SCHEDULED&retries=false", orders + "/messages?state=SCHEDULED&retries=true"));
		for (String state : List.of("SCHEDULED", "READY", "PENDING", "DEAD")) {
			String list = orders + "/messages?state=" + state;
			first.add(list);
			first.add(list + "&limit=1000");
			// A page far behind the first one, among messages with the same due time
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

}
