package io.delayqueue.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.actuate.fixture.Browser;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard of an application whose outbox module has its endpoint.
 */
@Tag("slow")
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardOutboxBrowserTests {

	@Test
	void failedRowsAreShownRetriedAndRemoved() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(), OutboxEndpoint.class,
				"management.endpoint.delayqueueoutbox.access=unrestricted");
				Browser browser = Browser.start(application)) {
			OutboxEndpoint outbox = application.bean(OutboxEndpoint.class);
			browser.open("");

			browser.awaitText("[data-key=Outbox]", "7 rows to send, the oldest for 12 s", "2 failed");
			browser.awaitText(".attention li[data-key=outbox]", "2 rows failed",
					browser.find("tr[data-key='4712'] td.when time").getText().split("\n")[0]);
			browser.awaitText("tr[data-key='4711']", "schedule", "orders", "o-1", "the group is full");
			browser.clickText("tr[data-key='4711'] button", "Retry");
			await().until(() -> outbox.calls.contains("retry 4711"));
			browser.clickText("tr[data-key='4712'] button", "Remove…");
			browser.click("#dialog .danger");
			await().until(() -> outbox.calls.contains("remove 4712"));
			assertThat(browser.complaints()).isEmpty();
		}
	}

	@Test
	void readOnlyAccessShowsNoOperations() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(), OutboxEndpoint.class);
				Browser browser = Browser.start(application)) {
			browser.open("");

			browser.awaitText("tr[data-key='4711']", "o-1");
			assertThat(browser.texts("tr[data-key='4711'] button")).isEmpty();
		}
	}

	/** Answers as the endpoint of the outbox module. */
	@Endpoint(id = "delayqueueoutbox", defaultAccess = Access.READ_ONLY)
	static final class OutboxEndpoint {

		private final List<String> calls = new CopyOnWriteArrayList<>();

		@ReadOperation
		Map<String, Object> outbox() {
			List<Map<String, Object>> rows = new ArrayList<>();
			for (int n = 1; n <= 2; n++) {
				rows.add(Map.of("row", 4710 + n, "call", "SCHEDULE", "key", Map.of("queue", "orders", "id", "o-" + n),
						"createdAt", "2027-01-01T00:00:00Z", "failedAt", "2027-01-01T00:00:01Z", "reason",
						"the group is full"));
			}
			return Map.of("pending", 7, "failed", 2, "oldestMillis", 12_000, "rows", rows);
		}

		@WriteOperation
		@Nullable Boolean retry(@Selector long row) {
			return this.calls.add("retry " + row);
		}

		@DeleteOperation
		@Nullable Boolean remove(@Selector long row) {
			return this.calls.add("remove " + row);
		}

	}

}
