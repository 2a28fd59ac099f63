package io.delayqueue.actuate;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With 1,000,000 messages that wait and 100,000 dead letters each view of the dashboard
 * is there in a second, and holds the browser up for no moment that one would feel. Both
 * bounds hold for the quick quarter: now and then the machine is busy elsewhere.
 */
@Tag("slow")
@EnabledIf("io.delayqueue.actuate.Chromium#isInstalled")
class DashboardCostBrowserTests {

	private static final int ROUNDS = 12;

	private static final long BOUND_MILLIS = 1000;

	private static final long FELT_MILLIS = 200;

	private static final List<String> VIEWS = List.of("", "queues/orders", "queues/orders/dead",
			"queues/orders/messages/id-000007", "queues/orders/messages/dead-000007");

	/**
	 * Keeps the longest task of the page's thread, ms; those below 50 ms do not count.
	 */
	private static final String OBSERVE = "window.longest = 0; new PerformanceObserver((list) => {"
			+ "for (const task of list.getEntries()) { longest = Math.max(longest, task.duration) }"
			+ "}).observe({ type: 'longtask' })";

	@Test
	void everyViewIsThereSoon() {
		Map<String, long[]> there = new LinkedHashMap<>();
		Map<String, long[]> busy = new LinkedHashMap<>();
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri());
				RespClient client = redis.client()) {
			ManyMessages.fill(client, application, 1_000_000, 100_000);
			try (Browser browser = Browser.start(application)) {
				browser.open("");
				browser.driver().executeScript(OBSERVE);
				for (int round = 0; round < ROUNDS; round++) {
					for (String view : VIEWS) {
						browser.driver().executeScript("longest = 0");
						long asked = System.nanoTime();
						browser.go(view);
						there.computeIfAbsent(view, (first) -> new long[ROUNDS])[round] = (System.nanoTime() - asked)
								/ 1_000_000;
						busy.computeIfAbsent(view, (first) -> new long[ROUNDS])[round] = ((Number) browser.driver()
							.executeScript("return longest")).longValue();
					}
				}
				assertThat(browser.complaints()).isEmpty();
			}
		}
		there.values().forEach(Arrays::sort);
		busy.values().forEach(Arrays::sort);
		there.forEach((view, millis) -> System.out.println("View '" + view + "': there after " + figures(millis)
				+ "; the longest moment without an answer " + figures(busy.get(view))));
		assertThat(there).allSatisfy((view, millis) -> assertThat(millis[ROUNDS / 4]).isLessThan(BOUND_MILLIS));
		assertThat(busy).allSatisfy((view, millis) -> assertThat(millis[ROUNDS / 4]).isLessThan(FELT_MILLIS));
	}

	private static String figures(long[] millis) {
		return "median " + millis[ROUNDS / 2] + " ms, slowest " + millis[ROUNDS - 1] + " ms";
	}

}
