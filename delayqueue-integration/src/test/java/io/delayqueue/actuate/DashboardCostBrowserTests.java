package io.delayqueue.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.actuate.fixture.Browser;
import io.delayqueue.actuate.fixture.ManyMessages;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With 100,000 scheduled messages and as many dead letters, each view of the dashboard
 * sends as many requests, receives as many bytes and shows as many elements as with a
 * tenth of them. The cost of the responses is tested by
 * {@link EndpointCostIntegrationTests}.
 */
@Tag("slow")
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardCostBrowserTests {

	private static final int MANY = 100_000;

	private static final int FEW = MANY / 10;

	private static final List<String> VIEWS = List.of("", "queues/orders", "queues/orders/dead",
			"queues/orders/messages/id-000007", "queues/orders/messages/dead-000007");

	/** Returns the number of requests and the bytes received. */
	private static final String REQUESTED = "const all = performance.getEntriesByType('resource');"
			+ "return [all.length, all.reduce((sum, one) => sum + one.decodedBodySize, 0)]";

	private static final String SHOWN = "return document.querySelectorAll('*').length";

	@Test
	void theCostOfAViewDoesNotDependOnTheNumberOfMessages() {
		Map<String, Figures> ofFew = figures(FEW);
		Map<String, Figures> ofMany = figures(MANY);

		assertThat(ofMany).hasSameSizeAs(ofFew).allSatisfy((view, figures) -> {
			Figures few = ofFew.get(view);
			assertThat(figures.requests()).as("requests").isPositive().isEqualTo(few.requests());
			assertThat(figures.elements()).as("elements").isPositive().isEqualTo(few.elements());
			// Some numbers have one more digit
			assertThat(figures.bytes()).as("bytes").isPositive().isLessThanOrEqualTo(few.bytes() * 11 / 10);
		});
	}

	private static Map<String, Figures> figures(int messages) {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri());
				RespClient client = redis.client()) {
			ManyMessages.fill(client, application, messages, messages);
			try (Browser browser = Browser.start(application)) {
				Map<String, Figures> figures = new LinkedHashMap<>();
				for (String view : VIEWS) {
					browser.open("#/" + view);
					browser.go(view);
					List<?> answer = (List<?>) browser.driver().executeScript(REQUESTED);
					figures.put(view, new Figures((Long) answer.get(0), (Long) answer.get(1),
							(Long) browser.driver().executeScript(SHOWN)));
				}
				assertThat(browser.complaints()).isEmpty();
				return figures;
			}
		}
	}

	/** The cost of a view in the browser. */
	private record Figures(long requests, long bytes, long elements) {

	}

}
