package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.HostileRequests;
import io.delayqueue.actuate.fixture.OperatedDashboard;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.store.Trends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;

import static io.delayqueue.actuate.fixture.OperatedDashboard.NAMES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The views of the dashboard in a browser. Each test uses its own queues.
 */
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardBrowserTests {

	private static final List<String> HOSTILE = List.of(HostileRequests.MARKUP, "\"><img src=x onerror=alert(1)>",
			"a/b", "../..", "%2f", "100%", "a?b#c&d=e;f", "\u202e'\"\\ ñ 日本 \uD83D\uDE00", "__proto__",
			"--> ]]> {{x}}");

	@RegisterExtension
	static final OperatedDashboard dashboard = new OperatedDashboard();

	@Test
	void problemsAreShownFirst() {
		dashboard.operating.schedule("calm", "o-1", "o-2");
		dashboard.operating.delayQueue.schedule(ScheduleRequest.to("forgotten").payload("p").delay(Duration.ZERO));
		dashboard.operating.letDie("broken", Set.of(), List.of("d-1", "d-2", "d-3"));

		dashboard.browser.go("");
		dashboard.browser.press("r");
		dashboard.browser.awaitText(".attention li[data-key='no consumer forgotten']", "forgotten", "1 message is due");
		dashboard.browser.awaitText(".attention li[data-key='dead letters broken']", "broken",
				"3 messages dead-lettered");
		dashboard.browser.awaitText("tr[data-key=calm] td.status", "on time");
		dashboard.browser.awaitText("tr[data-key=calm] td[data-label=Waiting]", "2");
		dashboard.browser.awaitText("tr[data-key=calm] td.when", "in 59 min");
		assertThat(dashboard.browser.find("tr[data-key=calm] td.when time").getDomAttribute("title"))
			.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d \\S+");
		dashboard.browser.click("tr[data-key=broken] a.warn");
		dashboard.browser.awaitText("h1", "Dead letters of broken");
		dashboard.browser.driver().navigate().back();
		dashboard.browser.click("tr[data-key=calm] td.name a");
		dashboard.browser.awaitText("h1", "calm");
		dashboard.browser.awaitText(".horizon", "In an hour");
		assertThat(dashboard.browser.driver().getTitle()).isEqualTo("calm – Delay queues");
	}

	@Test
	void moreThanAHundredQueuesAreOnOnePage() {
		dashboard.operating.delayQueue.scheduleAll(IntStream.rangeClosed(1, 101)
			.mapToObj((i) -> ScheduleRequest.to("tenant-" + i).payload("p").delay(Duration.ofHours(1)))
			.toList());

		dashboard.browser.go("");
		dashboard.browser.press("r");
		dashboard.browser.awaitText("tr[data-key=tenant-99] td[data-label=Waiting]", "1");
		assertThat(dashboard.browser.texts("tr[data-key^=tenant-]")).hasSize(101);
	}

	@Test
	void whatAllProcessesHaveCountedIsShownAsChartsAndAsATable() {
		dashboard.operating.schedule("charted", "o-1");
		dashboard.browser.go("queues/charted");
		dashboard.browser.awaitText("main", "The last hour, day and week of this queue are shown here");
		new Trends(dashboard.operating.application.bean(DelayQueueEngine.class).calls()).add("charted", 1,
				Map.of("s", 9L, "h", 5L, "f", 2L, "d", 1L, "w", 1234L, Trends.lateness(50), 4L, Trends.lateness(900),
						1L, "m", 900L));

		dashboard.browser.go("");
		dashboard.browser.go("queues/charted");
		dashboard.browser.awaitText(".trend", "All processes over time", "Messages in a minute", "Waiting", "Lateness",
				"p50", "p99");
		assertThat(dashboard.browser.driver().findElements(By.cssSelector(".trend .plot")))
			.extracting((chart) -> chart.getDomAttribute("aria-label"))
			.satisfies((labels) -> {
				assertThat(labels.get(0)).contains("handled ", "at most 5", "failed ", "at most 2");
				assertThat(labels.get(1)).contains("scheduled messages 1,234");
				assertThat(labels.get(2)).contains("max 900\u00a0ms");
			});
		assertThat(dashboard.browser.texts(".trend .axis span")).contains("2,000", "1,000", "0");
		assertThat(dashboard.browser.texts(".trend .times time")).hasSize(9).doesNotContain("");
		dashboard.browser.click("#over-week");
		dashboard.browser.awaitText(".trend", "Messages in 2 hours");
		dashboard.browser.click(".trend summary");
		dashboard.browser.awaitText(".trend tbody td[data-label='Lateness p50']", "ms");
		dashboard.browser.awaitText(".trend tbody td[data-label='Dead-lettered']", "1");
	}

	@Test
	void membersAndTheOwnerOfAPartitionAreShown() {
		dashboard.operating.schedule("owned", "o-1");
		dashboard.operating.keepInFlight("owned", "o-2");
		String member = dashboard.operating.application.bean(DelayQueueEngine.class).fleet().member();
		await().until(() -> json("owned").get("members").asInt() == 1);

		dashboard.browser.go("");
		dashboard.browser.press("r");
		dashboard.browser.click("details[data-key=members] summary");
		dashboard.browser.awaitText("tr[data-key='" + member + "']", member, "serves this page", "owned");
		dashboard.browser.go("queues/owned");
		dashboard.browser.click("details[data-key=partitions] summary");
		dashboard.browser.awaitText("td[data-label=Owner]", member);
		dashboard.browser.awaitText("td[data-label=Standby]", "–");
		assertThat(json("owned/message?id=o-2").get("consumer").asString()).isEqualTo(member);
		assertThat(json("owned").get("consumerDetails").get(0).get("name").asString()).isEqualTo(member);
		dashboard.browser.awaitTexts("table.consumers td[data-label=Process]", member);
	}

	@Test
	void aMemberIsAConsumerBeforeItsFirstMessage() {
		dashboard.operating.schedule("awaited", "o-1");
		dashboard.operating.application.consume("awaited", 1, (delivery) -> null);
		String member = dashboard.operating.application.bean(DelayQueueEngine.class).fleet().member();
		await().until(() -> json("awaited").get("members").asInt() == 1);

		dashboard.browser.go("queues/awaited");
		dashboard.browser.awaitText("table.consumers tr[data-key='" + member + "']", member, "member");
		dashboard.browser.awaitText(".tiles", "1 member");
		assertThat(dashboard.browser.find("main").getText()).doesNotContain("No consumer");
		dashboard.browser.go("");
		await().untilAsserted(() -> {
			// A further refresh would replace the running one
			if (dashboard.browser.texts(".pulse.busy").isEmpty()) {
				dashboard.browser.press("r");
			}
			assertThat(dashboard.browser.find("tr[data-key=awaited] td[data-label=Throughput]").getText())
				.endsWith("/s");
		});
		assertThat(dashboard.browser.find("tr[data-key=awaited] td[data-label=Lateness]").getText())
			.as("it has delivered nothing")
			.isEqualTo("–");
	}

	@Test
	void pausedHeldAndThrottledQueuesAreNotLate() {
		List<String> waiting = List.of("paused", "held", "throttled");
		dashboard.operating.schedule("throttled", "o-1");
		dashboard.operating.post("throttled", "limit-rate", "{'messages':'1','per':'1h','burst':'1'}");
		dashboard.operating.application.consume("throttled", 1, (delivery) -> null);
		for (String queue : waiting) {
			IntStream.range(0, 3)
				.forEach((i) -> dashboard.operating.delayQueue.schedule(ScheduleRequest.to(queue)
					.payload("p")
					.id("late-" + i)
					.dueAt(Instant.now().minus(Duration.ofMinutes(10)))));
		}
		dashboard.operating.admin.pause("paused");
		dashboard.operating.admin.hold("held", Duration.ofHours(1), "the shop is away");
		await().until(() -> json("throttled").get("throttled").asBoolean());

		dashboard.browser.go("");
		for (String queue : waiting) {
			String row = "tr[data-key=" + queue + "] ";
			dashboard.browser.press("r");
			dashboard.browser.awaitTexts(row + "td.status .chip", queue);
			assertThat(dashboard.browser.texts(row + ".bad")).as(queue).isEmpty();
			dashboard.browser.go("queues/" + queue);
			dashboard.browser.awaitText(".tiles", queue + ", oldest for 10 min");
			assertThat(dashboard.browser.texts("main .bad")).as(queue).isEmpty();
			assertThat(dashboard.browser.find("main").getText()).as(queue).doesNotContain("late:", "slow", "on time");
			dashboard.browser.go("");
		}
		dashboard.browser.awaitText(".tiles", "not late");
		// These queues would be problems in the list of all queues
		dashboard.operating.admin.resume("paused");
		dashboard.operating.admin.release("held");
		waiting.forEach(dashboard.operating.admin::purge);
	}

	@Test
	void messagesAreFilteredByGroup() {
		dashboard.operating.scheduleInGroup("grouped", "g-1", "ann");
		dashboard.operating.scheduleInGroup("grouped", "g-2", "anna");
		dashboard.operating.scheduleInGroup("grouped", "g-3", "zoe");

		dashboard.browser.go("queues/grouped");
		dashboard.browser.awaitTexts(".messages td.name", "g-1", "g-2", "g-3");
		dashboard.browser.enter("#group", "ann" + Keys.ENTER);
		dashboard.browser.awaitTexts(".messages td.name", "g-1", "g-2");
		dashboard.browser.awaitTexts(".messages td[data-label=State]", "Scheduled", "Scheduled");
		dashboard.browser.enter("#group", "bob" + Keys.ENTER);
		dashboard.browser.awaitText(".messages", "No message has a group that begins with this text");
		dashboard.browser.click(".tabs button");
		dashboard.browser.awaitTexts(".messages td.name", "g-1", "g-2", "g-3");
		dashboard.operating.scheduleInGroup("grouped-too", "t-1", "zoe");
		dashboard.browser.go("");
		dashboard.browser.enter("#group", "zoe" + Keys.ENTER);
		dashboard.browser.awaitTexts(".queues td.name", "grouped", "grouped-too");
		dashboard.browser.click("tr[data-key=grouped] td.name a");
		dashboard.browser.awaitTexts(".messages td.name", "g-3");
		assertThat(dashboard.browser.find("#group").getDomProperty("value")).isEqualTo("zoe");
	}

	@Test
	void aHeldGroupIsNamedBeforeTheQueues() {
		dashboard.operating.scheduleInGroup("group-held", "g-1", "ann");
		dashboard.operating.admin.hold("group-held", "ann", Duration.ofHours(1), "under review");

		dashboard.browser.go("");
		dashboard.browser.press("r");
		dashboard.browser.awaitText(".attention li[data-key='groups held group-held']", "1 group held");
		dashboard.operating.admin.release("group-held", "ann");
	}

	@Test
	@Tag("slow")
	void aQueueWhoseHandlersFailIsFailing() {
		dashboard.operating.application.consume("flaky", 5, (delivery) -> {
			throw new IllegalStateException("503");
		});
		dashboard.operating.delayQueue.scheduleAll(IntStream.range(0, 150)
			.mapToObj((i) -> ScheduleRequest.to("flaky").payload("p").delay(Duration.ofMillis(200L * i)))
			.toList());

		dashboard.browser.go("");
		dashboard.browser.awaitText("tr[data-key=flaky] td.status", "failing");
		dashboard.browser.awaitText(".attention li[data-key='failing flaky']", "100 % of the latest attempts");
		// Its dead letters would be a problem in the list of all queues
		dashboard.operating.admin.purgeWithDeadLetters("flaky");
	}

	private static JsonNode json(String path) {
		return dashboard.operating.application.get("/actuator/delayqueue/" + path).json();
	}

	@Test
	void messagesCanBePagedForwardAndBackward() {
		dashboard.operating.schedule("paged", IntStream.range(10, 55).mapToObj((i) -> "m-" + i).toArray(String[]::new));

		dashboard.browser.go("queues/paged");
		dashboard.browser.awaitTexts(".messages td.name", ids(10, 30));
		dashboard.browser.awaitText(".pager", "Page 1, 20 lines");
		assertThat(dashboard.browser.find(".pager button:first-child").isEnabled()).isFalse();
		dashboard.browser.click(".pager button:last-child");
		dashboard.browser.awaitTexts(".messages td.name", ids(30, 50));
		dashboard.browser.click(".pager button:last-child");
		dashboard.browser.awaitTexts(".messages td.name", ids(50, 55));
		dashboard.browser.awaitText(".pager", "Page 3, 5 lines");
		assertThat(dashboard.browser.find(".pager button:last-child").isEnabled()).isFalse();
		dashboard.browser.click(".pager button:first-child");
		dashboard.browser.awaitTexts(".messages td.name", ids(30, 50));
	}

	@Test
	void retriesAreShownApartFromFirstAttempts() {
		dashboard.operating.schedule("retrying", "first");
		dashboard.browser.go("queues/retrying");
		dashboard.browser.clickText(".tabs button", "Retries");
		dashboard.browser.awaitText(".messages", "No message waits for a retry");
		dashboard.operating.delayQueue.schedule(ScheduleRequest.to("retrying")
			.payload("p")
			.id("again")
			.maxAttempts(3)
			.backOff(BackOffPolicy.fixed(Duration.ofHours(2)))
			.delay(Duration.ZERO));
		dashboard.operating.application.consume("retrying", 1, (delivery) -> {
			throw new IllegalStateException("busy");
		});
		await().until(() -> dashboard.operating.delayQueue.find("retrying", "again")
			.filter((message) -> message.lastFailure() != null)
			.isPresent());
		dashboard.browser.press("r");
		dashboard.browser.awaitTexts(".messages td.name", "again");
		dashboard.browser.clickText(".tabs button", "First attempts");
		dashboard.browser.awaitTexts(".messages td.name", "first");
		dashboard.browser.go("queues/retrying/messages/again");
		dashboard.browser.awaitText(".timeline", "busy", "in process",
				dashboard.operating.application.bean(DelayQueueEngine.class).fleet().member(),
				"If each attempt fails: 1 further retry", "It would be dead-lettered after 3 failed attempts");
	}

	@Test
	void messagesWithOneIdInSeveralGroupsStayDifferentRows() {
		dashboard.operating.scheduleInGroups("parted", "same", Duration.ofHours(1));

		dashboard.browser.go("queues/parted");
		dashboard.browser.awaitTexts(".messages td.name", "same", "same", "same", "same");
		dashboard.operating.schedule("parted", "later");
		dashboard.browser.press("r");
		await().untilAsserted(() -> assertThat(dashboard.browser.texts(".messages td.name"))
			.containsExactlyInAnyOrder("same", "same", "same", "same", "later"));
	}

	private static String[] ids(int from, int to) {
		return IntStream.range(from, to).mapToObj((i) -> "m-" + i).toArray(String[]::new);
	}

	@Test
	void aMessageThatHasEndedShowsItsStory() {
		dashboard.operating.letDie("told", Set.of(), List.of("t-1"));
		dashboard.browser.go("queues/told/messages/t-1");
		dashboard.browser.click(".timeline details[data-key=stack] summary");
		dashboard.browser.awaitText(".timeline pre", "java.lang.IllegalStateException", "at io.delayqueue");
		dashboard.operating.admin.discard(MessageKey.of("told", "t-1"));
		dashboard.operating.schedule("told", "t-2");
		dashboard.operating.delayQueue.cancel("told", "t-2");

		dashboard.browser.go("queues/told");
		dashboard.browser.click(".messages a[href$='/history']");
		dashboard.browser.awaitText("h1", "History of told");
		dashboard.browser.awaitTexts("main table td[data-label=Message]", "t-2", "t-1", "t-1");
		dashboard.browser.awaitText("main table", "cancelled", "discarded", "dead-lettered", "IllegalStateException",
				"Took");
		dashboard.browser.awaitText("tr[data-key*='t-1: DEAD_LETTERED'] td[data-label=Took]", "ms");
		dashboard.browser.click("tr[data-key*='t-1: DISCARDED'] a");
		dashboard.browser.awaitText(".timeline", "An operator discarded this dead letter", "after 1 attempt",
				dashboard.operating.application.bean(DelayQueueEngine.class).fleet().member());
		dashboard.browser.awaitText("main", "Finished");
		assertThat(dashboard.browser.driver().findElements(By.cssSelector("main .buttons"))).isEmpty();
		dashboard.operating.schedule("untold", "u-1");
		dashboard.browser.go("queues/untold/history");
		dashboard.browser.awaitText("main", "No end of a message is known");
	}

	@Test
	void theLimitsOfAQueueAreShown() {
		dashboard.operating.schedule("limiting", "o-1");
		dashboard.operating.post("limiting", "limit-rate", "{'messages':'100','per':'10s'}");

		dashboard.browser.go("queues/limiting");

		dashboard.browser.awaitText(".limits", "100 messages in 10s, at most 10 at once, set by an operator");
	}

	@Test
	void hostileIdsStayTextAndLinkToTheirMessages() {
		dashboard.operating.schedule("hostile", HOSTILE.toArray(String[]::new));

		dashboard.browser.go("queues/hostile");
		await().untilAsserted(() -> assertThat(linked()).containsExactlyInAnyOrderElementsOf(HOSTILE));
		for (String id : HOSTILE) {
			dashboard.browser.go("queues/hostile");
			dashboard.browser.clickText(NAMES + " a", id);
			dashboard.browser.awaitContent("h1", id);
			dashboard.browser.awaitText(".timeline", "It waits for its due time");
		}
		assertNothingRan();
	}

	private static List<String> linked() {
		return dashboard.browser.contents(NAMES + " a");
	}

	@Test
	void hostileFailuresHeadersAndPayloadsStayText() {
		QueueConsumer consumer = dashboard.operating.application.consume("nasty", 1, (delivery) -> {
			throw new IllegalStateException(HostileRequests.MARKUP + "\n<img src=x onerror=alert(1)>");
		});
		for (String id : HOSTILE) {
			dashboard.operating.delayQueue.schedule(ScheduleRequest.to("nasty")
				.payload("</pre>" + HostileRequests.MARKUP)
				.id(id)
				.header("<b>\"x", HostileRequests.MARKUP)
				.delay(Duration.ZERO));
		}
		await().until(() -> dashboard.operating.dead("nasty").size() == HOSTILE.size());
		consumer.stop(Duration.ofSeconds(5));

		dashboard.browser.go("queues/nasty/dead");
		dashboard.browser.awaitText("td.why", "IllegalStateException", HostileRequests.MARKUP);
		dashboard.browser.click("input[aria-label='Select all of this page']");
		dashboard.browser.awaitText("#discard", "(" + HOSTILE.size() + ")");
		dashboard.browser.go("queues/nasty/messages/" + "%3Cscript%3Ealert(1)%3C%2Fscript%3E");
		dashboard.browser.awaitText(".facts", "<b>\"x", HostileRequests.MARKUP);
		dashboard.browser.awaitText("pre", "</pre>" + HostileRequests.MARKUP);
		dashboard.browser.awaitText(".timeline", HostileRequests.MARKUP);
		dashboard.browser.click("#redrive");
		dashboard.browser.awaitText("#notice", "The message is redriven.");
		assertThat(dashboard.operating.state("nasty", HostileRequests.MARKUP)).isEqualTo(MessageState.SCHEDULED);
		assertNothingRan();
	}

	private static void assertNothingRan() {
		assertThat(dashboard.browser.driver().findElements(By.cssSelector("main script, main img, main b b")))
			.isEmpty();
		assertThat(dashboard.browser.driver().getTitle()).as("no script has opened a dialog").endsWith("Delay queues");
	}

	@Test
	void missingQueuesMessagesAndViewsAreReported() {
		dashboard.operating.schedule("known", "o-1");

		dashboard.browser.go("queues/unknown");
		dashboard.browser.awaitText("#banner", "No queue of this name has ever been used");
		dashboard.browser.go("queues/knwon");
		dashboard.browser.awaitText("#banner", "Did you mean known?");
		dashboard.browser.click("#banner a");
		dashboard.browser.awaitText("h1", "known");
		dashboard.browser.go("queues/known/messages/o-2");
		dashboard.browser.awaitText("main", "The queue has no message with this id");
		dashboard.browser.go("queues/known/messages/o");
		dashboard.browser.awaitText(".similar", "o-1", "Scheduled");
		for (String nonsense : List.of("nonsense", "queues/known/other", "queues/%zz", "queues/known/messages/a/b/c")) {
			dashboard.browser.go(nonsense);
			dashboard.browser.awaitText("main", "There is nothing here");
		}
	}

	@Test
	void keyboardShortcutsNavigateTheDashboard() {
		dashboard.operating.schedule("keys-one", "o-1");
		dashboard.operating.schedule("keys-two", "o-1");

		dashboard.browser.go("queues/keys-one");
		dashboard.browser.awaitText("h1", "keys-one");
		dashboard.browser.press("g");
		dashboard.browser.awaitText(".queues", "keys-one", "keys-two");
		dashboard.browser.press("/");
		dashboard.browser.press("s-tw");
		dashboard.browser.awaitTexts(".queues td.name", "keys-two");
		dashboard.browser.press(Keys.ESCAPE);
		dashboard.browser.awaitText(".queues", "keys-one", "keys-two");
		dashboard.browser.press("?");
		dashboard.browser.awaitText("dialog", "refresh now", "In flight");
		dashboard.browser.press(Keys.ESCAPE);
		dashboard.browser.awaitNone("dialog[open]");
	}

	@Test
	void thePageFitsAPhoneScreen() {
		String id = "a-message-with-a-very-long-id-that-has-no-place-to-break-" + "x".repeat(60);
		List<String> letters = new ArrayList<>(List.of(id));
		IntStream.range(0, 5).forEach((i) -> letters.add("d-" + i));
		dashboard.operating.letDie("a-queue-with-a-rather-long-name-for-a-small-screen", Set.of(), letters);
		String queue = "queues/a-queue-with-a-rather-long-name-for-a-small-screen";
		dashboard.operating.delayQueue.schedule(ScheduleRequest.to("a-queue-with-a-rather-long-name-for-a-small-screen")
			.payload("p".repeat(500))
			.id(id + "y")
			.delay(Duration.ofHours(1)));
		dashboard.browser.chromium().screen(360, 740);
		try {
			for (String route : List.of("", queue, queue + "/dead", queue + "/messages/" + id)) {
				dashboard.browser.go(route);
				dashboard.browser.awaitText("main", (route.isEmpty()) ? "Dead letters" : id.substring(0, 20));
				assertThat((Number) dashboard.browser.driver()
					.executeScript("return document.documentElement.scrollWidth")).as(route).isEqualTo(360L);
			}
		}
		finally {
			dashboard.browser.chromium().screen(1280, 900);
		}
	}

}
