package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.OperatedDashboard;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.store.Trends;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every view of the dashboard, light and dark, wide and on a phone, has no barrier that
 * axe-core finds: names for screen readers, the structure of the page, and contrast.
 */
@Tag("slow")
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardAccessibilityBrowserTests {

	@RegisterExtension
	static final OperatedDashboard dashboard = new OperatedDashboard();

	/** Each view with a text that it shows. */
	private static final Map<String, String> VIEWS = new LinkedHashMap<>();

	@BeforeAll
	static void fill() {
		dashboard.operating.letDie("told", Set.of(), List.of("d-1", "d-2"));
		dashboard.operating.schedule("told", "o-1");
		dashboard.operating.scheduleInGroup("told", "o-2", "g");
		dashboard.operating.schedule("told", "o-3");
		dashboard.operating.delayQueue.cancel("told", "o-3");
		dashboard.operating.delayQueue.schedule(
				ScheduleRequest.to("late").payload("p").id("l-1").dueAt(Instant.now().minus(Duration.ofMinutes(10))));
		dashboard.operating.keepInFlight("busy", "b-1");
		dashboard.operating.post("busy", "limit-rate", "{'messages':'100','per':'10s'}");
		dashboard.operating.post("late", "hold", "{'delay':'1h','group':'g'}");
		dashboard.operating.schedule("calm", "c-1");
		dashboard.operating.admin.pause("calm");
		dashboard.operating.application.bean(RecurringOperations.class)
			.createOrReplace(RecurringSchedule.to("told", "daily").payload("p").cron("0 0 9 * * *", "UTC"));
		new Trends(dashboard.operating.application.bean(DelayQueueEngine.class).calls()).add("told", 1,
				Map.of("s", 9L, "h", 5L, "f", 2L, "d", 1L, "w", 1234L, Trends.lateness(50), 4L, "m", 900L));
		VIEWS.put("", "told");
		VIEWS.put("recurring", "daily");
		VIEWS.put("queues/told", "o-1");
		VIEWS.put("queues/told/groups/g", "o-2");
		VIEWS.put("queues/told/dead", "d-1");
		VIEWS.put("queues/told/history", "o-3");
		VIEWS.put("queues/told/recurring", "daily");
		VIEWS.put("queues/told/messages/o-1", "Scheduled");
		VIEWS.put("queues/told/messages/d-1", "IllegalStateException");
		VIEWS.put("queues/told/messages/o-3", "cancelled");
		VIEWS.put("queues/late", "late");
		VIEWS.put("queues/busy", "In flight");
		VIEWS.put("queues/calm", "paused");
		VIEWS.put("queues/unknwon", "");
		VIEWS.put("nothing", "There is nothing here");
	}

	@Test
	void noViewHasABarrier() {
		List<String> found = new ArrayList<>();
		VIEWS.forEach((view, text) -> {
			dashboard.browser.go(view);
			dashboard.browser.awaitText("main", text);
			dashboard.browser.driver()
				.executeScript("document.querySelectorAll('details').forEach((one) => one.open = true)");
			collect(found, view);
		});
		assertThat(found).isEmpty();
	}

	@Test
	void noDialogHasABarrier() {
		List<String> found = new ArrayList<>();
		dashboard.browser.go("queues/told");
		for (String opens : List.of("#hold", "#purge", "#repartition", "#help")) {
			dashboard.browser.click(opens);
			dashboard.browser.find("dialog[open]");
			collect(found, opens);
			dashboard.browser.press(Keys.ESCAPE);
			dashboard.browser.awaitNone("dialog[open]");
		}
		dashboard.browser.go("queues/told/messages/d-1");
		dashboard.browser.click("#edit");
		dashboard.browser.find("dialog[open] textarea");
		collect(found, "#edit");
		dashboard.browser.press(Keys.ESCAPE);
		dashboard.browser.awaitNone("dialog[open]");
		assertThat(found).isEmpty();
	}

	@Test
	void aTableIsATableOnAPhoneToo() {
		dashboard.browser.go("queues/told");
		dashboard.browser.chromium().screen(390, 800);
		assertThat(dashboard.browser.find("table.messages").getAriaRole()).isEqualTo("table");
		assertThat(dashboard.browser.find("table.messages tbody tr").getAriaRole()).isEqualTo("row");
		assertThat(dashboard.browser.find("table.messages td").getAriaRole()).isEqualTo("cell");
		dashboard.browser.chromium().screen(1280, 900);
	}

	private static void collect(List<String> found, String where) {
		for (boolean dark : new boolean[] { false, true }) {
			dashboard.browser.chromium().darkMode(dark);
			dashboard.browser.barriers().forEach((barrier) -> found.add(where + (dark ? ", dark: " : ": ") + barrier));
		}
		dashboard.browser.chromium().darkMode(false);
		dashboard.browser.chromium().screen(390, 800);
		dashboard.browser.barriers().forEach((barrier) -> found.add(where + ", phone: " + barrier));
		dashboard.browser.chromium().screen(1280, 900);
	}

}
