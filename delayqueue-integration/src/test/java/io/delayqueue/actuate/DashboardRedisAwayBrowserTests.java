package io.delayqueue.actuate;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Browser;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * While Redis or the application is unavailable, the dashboard shows the last data and
 * marks it as stale.
 */
@Tag("slow")
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardRedisAwayBrowserTests {

	@Test
	void theLastDataIsShownAsStaleUntilTheNextAnswer() {
		try (RedisServer redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
				WebApplication application = WebApplication.start(redis.uri());
				Browser browser = Browser.start(application)) {
			application.bean(DelayQueueOperations.class)
				.schedule(ScheduleRequest.to("orders").payload("p").id("o-1").delay(Duration.ofHours(1)));
			browser.open("");
			browser.awaitText(".queues", "orders");
			browser.awaitText("#pulse", "live");

			redis.kill();
			browser.press("r");
			browser.awaitText("#banner", "Redis does not answer", "This page retries automatically",
					"Below is the data of");
			browser.awaitText("#pulse", "not live");
			browser.awaitText("main.stale .queues", "orders");
			redis.start();
			await().until(() -> application.get("/actuator/delayqueue").status() == 200);
			browser.press("r");
			browser.awaitText("#pulse", "live");
			browser.awaitNone("main.stale, #banner:not([hidden])");

			application.stop();
			browser.press("r");
			browser.awaitText("#banner", "The application does not answer");
			browser.awaitText("main.stale", "orders");
			assertThat(browser.complaints()).isEmpty();
		}
	}

}
