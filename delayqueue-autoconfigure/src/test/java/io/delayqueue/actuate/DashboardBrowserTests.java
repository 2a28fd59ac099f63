package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Browser;
import io.delayqueue.actuate.fixture.HostileRequests;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.support.ui.Select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard in a browser, with unrestricted access. Each test uses its own queues.
 */
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardBrowserTests {

	private static final List<String> HOSTILE = List.of(HostileRequests.MARKUP, "\"><img src=x onerror=alert(1)>",
			"a/b", "../..", "%2f", "100%", "a?b#c&d=e;f", "\u202e'\"\\ ñ 日本 \uD83D\uDE00", "__proto__",
			"--> ]]> {{x}}");

	private static final String NAMES = "main table td.name";

	private static Operating operating;

	private static Browser browser;

	@BeforeAll
	static void open() {
		operating = Operating.start(SharedRedis.get().uri(), "management.endpoint.delayqueue.show-payloads=always",
				"delayqueue.queues.told.history.for=7d", "delayqueue.queues.told.back-off.first=1ms");
		browser = Browser.start(operating.application);
		browser.open("");
	}

	@AfterAll
	static void close() {
		browser.close();
		operating.close();
	}

	@AfterEach
	void theBrowserReportsNoErrors() {
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void problemsAreShownFirst() {
		operating.schedule("calm", "o-1", "o-2");
		operating.delayQueue.schedule(ScheduleRequest.to("forgotten").payload("p").delay(Duration.ZERO));
		operating.letDie("broken", Set.of(), List.of("d-1", "d-2", "d-3"));

		browser.go("");
		browser.press("r");
		browser.awaitText(".attention li[data-key='no consumer forgotten']", "forgotten", "1 message is due");
		browser.awaitText(".attention li[data-key='dead letters broken']", "broken", "3 messages dead-lettered");
		browser.awaitText("tr[data-key=calm] td.status", "on time");
		browser.awaitText("tr[data-key=calm] td[data-label=Waiting]", "2");
		browser.awaitText("tr[data-key=calm] td.when", "in 59 min");
		browser.click("tr[data-key=broken] a.warn");
		browser.awaitText("h1", "Dead letters of broken");
		browser.driver().navigate().back();
		browser.click("tr[data-key=calm] td.name a");
		browser.awaitText("h1", "calm");
		browser.awaitText(".horizon", "In an hour");
		assertThat(browser.driver().getTitle()).isEqualTo("calm – Delay queues");
	}

	@Test
	void membersAndTheOwnerOfAPartitionAreShown() {
		operating.schedule("owned", "o-1");
		operating.keepInFlight("owned", "o-2");
		String member = operating.application.bean(DelayQueueEngine.class).fleet().member();

		browser.go("");
		browser.click("details[data-key=members] summary");
		browser.awaitText("tr[data-key='" + member + "']", member, "serves this page", "owned");
		browser.go("queues/owned");
		browser.click("details[data-key=partitions] summary");
		browser.awaitText("td[data-label=Owner]", member);
		browser.awaitText("td[data-label=Standby]", "–");
	}

	@Test
	void messagesCanBePagedForwardAndBackward() {
		operating.schedule("paged", IntStream.range(10, 55).mapToObj((i) -> "m-" + i).toArray(String[]::new));

		browser.go("queues/paged");
		browser.awaitTexts(".messages td.name", ids(10, 30));
		browser.awaitText(".pager", "Page 1, 20 lines");
		assertThat(browser.find(".pager button:first-child").isEnabled()).isFalse();
		browser.click(".pager button:last-child");
		browser.awaitTexts(".messages td.name", ids(30, 50));
		browser.click(".pager button:last-child");
		browser.awaitTexts(".messages td.name", ids(50, 55));
		browser.awaitText(".pager", "Page 3, 5 lines");
		assertThat(browser.find(".pager button:last-child").isEnabled()).isFalse();
		browser.click(".pager button:first-child");
		browser.awaitTexts(".messages td.name", ids(30, 50));
	}

	private static String[] ids(int from, int to) {
		return IntStream.range(from, to).mapToObj((i) -> "m-" + i).toArray(String[]::new);
	}

	@Test
	void aMessageShowsItsHistoryAndCanBeRunAtOnceOrCancelled() {
		operating.delayQueue.schedule(ScheduleRequest.to("story")
			.payload(List.of("some", "payload"))
			.id("o-1")
			.group("alice")
			.header("source", "shop")
			.delay(Duration.ofMinutes(90)));

		browser.go("queues/story");
		browser.enter(".find input", "o-1" + Keys.ENTER);
		browser.awaitText("h1", "o-1");
		browser.awaitText(".head", "Scheduled");
		browser.awaitText(".timeline", "It is due then", "in 1 h 29 min", "It waits for its due time");
		browser.awaitText(".facts", "Group", "alice", "source", "shop");
		browser.awaitText("pre", "[\"some\",\"payload\"]");
		browser.click("#now");
		browser.awaitText("#notice", "The message is due now.");
		browser.awaitText(".timeline", "It is overdue");
		assertThat(operating.dueAt("story", "o-1")).isBefore(Instant.now());

		browser.click("#cancel");
		browser.click("dialog .danger");
		browser.awaitText("#notice", "The message is cancelled.");
		browser.awaitText("main", "It is not in the queue any more");
		assertThat(operating.state("story", "o-1")).isNull();
	}

	@Test
	void aMessageThatHasEndedShowsItsStory() {
		operating.letDie("told", Set.of(), List.of("t-1"));
		operating.admin.discard(MessageKey.of("told", "t-1"));
		operating.schedule("told", "t-2");
		operating.delayQueue.cancel("told", "t-2");

		browser.go("queues/told");
		browser.click(".messages a[href$='/history']");
		browser.awaitText("h1", "History of told");
		browser.awaitTexts("main table td[data-label=Message]", "t-2", "t-1", "t-1");
		browser.awaitText("main table", "cancelled", "discarded", "dead-lettered", "IllegalStateException");
		browser.click("tr[data-key^='t-1 DISCARDED'] a");
		browser.awaitText(".timeline", "An operator discarded this dead letter", "after 1 attempt",
				operating.application.bean(DelayQueueEngine.class).fleet().member());
		browser.awaitText("main", "Finished");
		assertThat(browser.driver().findElements(By.cssSelector("main .buttons"))).isEmpty();
		operating.schedule("untold", "u-1");
		browser.go("queues/untold/history");
		browser.awaitText("main", "No end of a message is known");
	}

	@Test
	void aRecurringScheduleIsPausedResumedAndRun() {
		RecurringOperations recurring = operating.application.bean(RecurringOperations.class);
		recurring.createOrReplace(
				RecurringSchedule.to("digests", "daily").payload("p").cron("0 0 9 * * *", "Europe/Berlin"));

		browser.go("queues/digests");
		browser.click(".messages a[href$='/recurring']");
		browser.awaitText("h1", "Recurring schedules of digests");
		browser.awaitText("main table", "daily", "active", "0 0 9 * * * Europe/Berlin");
		browser.click("main table button");
		browser.awaitText("#notice", "Recurring schedule daily is paused.");
		browser.awaitText("main table", "paused", "Resume");
		assertThat(recurring.get("digests", "daily").orElseThrow().pausedSince()).isPresent();
		browser.click("main table button");
		browser.awaitText("main table", "active");
		browser.click("main table button + button");
		browser.awaitText("#notice", "Recurring schedule daily has one more occurrence, due now.");
		// The overdue message of this queue would be a problem in the list of all queues
		recurring.delete("digests", "daily");
		operating.admin.purge("digests");
	}

	@Test
	void selectedDeadLettersAreRedriven() {
		operating.letDie("select", Set.of(), List.of("d-1", "d-2", "d-3", "d-4"));

		browser.go("queues/select/dead");
		browser.awaitText(".horizon", "HANDLER_FAILED IllegalStateException", "4");
		browser.click("input[aria-label='Select d-2']");
		browser.click("input[aria-label='Select d-4']");
		browser.press("r");
		browser.awaitText("#redrive", "Redrive selected (2)");
		assertThat(browser.driver().switchTo().activeElement().getDomAttribute("aria-label")).isEqualTo("Select d-4");
		browser.click("#redrive");
		browser.awaitText("#notice", "2 dead letters redriven.");
		browser.awaitText("#redrive", "Redrive selected (0)");
		await().untilAsserted(() -> assertThat(browser.texts(NAMES)).containsExactlyInAnyOrder("d-1", "d-3"));
		assertThat(operating.dead("select")).containsExactlyInAnyOrder("d-1", "d-3");
		assertThat(operating.state("select", "d-2")).isEqualTo(MessageState.SCHEDULED);
	}

	@Test
	void deadLettersOfAReasonAreCountedAndThenRedrivenOrDiscarded() {
		operating.letDie("reasons", Set.of("n-1", "n-2"), List.of("n-1", "n-2", "d-1", "d-2", "d-3"));

		browser.go("queues/reasons/dead");
		new Select(browser.find("#filter")).selectByVisibleText("NEVER_RETRIED");
		await().untilAsserted(() -> assertThat(browser.texts(NAMES)).containsExactlyInAnyOrder("n-1", "n-2"));
		browser.click("#redrive-all");
		browser.awaitText("dialog", "Redrive 2 dead letters with reason NEVER_RETRIED?");
		browser.enter("dialog input", "10m");
		assertThat(operating.dead("reasons")).as("only counted so far").hasSize(5);
		browser.click("dialog .primary");
		browser.awaitText("#notice", "2 dead letters with reason NEVER_RETRIED redriven.");
		browser.awaitText("main", "No dead letter with reason NEVER_RETRIED");

		new Select(browser.find("#filter")).selectByVisibleText("any");
		browser.click("#discard-all");
		browser.awaitText("dialog", "Discard 3 dead letters?");
		browser.press(Keys.ESCAPE);
		browser.awaitNone("dialog[open]");
		assertThat(operating.dead("reasons")).hasSize(3);
		browser.click("#discard-all");
		browser.click("dialog .danger");
		browser.awaitText("main", "Nothing of this queue has failed for good.");
		assertThat(operating.dead("reasons")).isEmpty();
	}

	@Test
	void aQueueIsPausedAndResumed() {
		operating.schedule("pausing", "o-1");

		browser.go("queues/pausing");
		browser.click("#pause");
		browser.awaitText(".head", "paused", "Resume");
		browser.awaitText("#notice", "Queue pausing is paused");
		assertThat(operating.admin.status("pausing").isPaused()).isTrue();
		browser.click("#resume");
		browser.awaitText(".head", "on time", "Pause");
		assertThat(operating.admin.status("pausing").isPaused()).isFalse();
	}

	@Test
	void aQueueAndAGroupAreHeldAndReleased() {
		operating.schedule("holding", "o-1");

		browser.go("queues/holding");
		browser.click("#hold");
		browser.enter("dialog input[name=why]", "the shop is away");
		browser.click("dialog .primary");
		browser.awaitText("#notice", "Queue holding is held until");
		browser.awaitText(".head", "held");
		browser.awaitText(".holds", "the whole queue", "an operator", "the shop is away");
		assertThat(operating.admin.status("holding").isHeld()).isTrue();
		browser.click("#hold");
		browser.enter("dialog input[name=group]", "g");
		browser.click("dialog .primary");
		browser.awaitText(".holds", "group g");
		browser.click("#release");
		browser.awaitText("#notice", "Nothing of queue holding is held.");
		assertThat(operating.admin.holds("holding")).isEmpty();
	}

	@Test
	void theLimitsOfAQueueAreShown() {
		operating.schedule("limiting", "o-1");
		operating.post("limiting", "limit-rate", "{'messages':'100','per':'10s'}");

		browser.go("queues/limiting");

		browser.awaitText(".limits", "100 messages in 10s, at most 10 at once, set by an operator");
	}

	@Test
	void aPurgeRequiresTheNameOfTheQueue() {
		operating.schedule("purging", "o-1", "o-2");

		browser.go("queues/purging");
		browser.click("#purge");
		browser.enter("dialog input[name=confirm]", "purge" + Keys.ENTER);
		assertThat(browser.find("dialog .danger").isEnabled()).isFalse();
		browser.enter("dialog input[name=confirm]", "purging");
		browser.click("dialog .danger");
		browser.awaitText("#notice", "Removed: 2 undelivered, 0 in flight, 0 dead letters.");
		assertThat(operating.state("purging", "o-1")).isNull();
	}

	@Test
	void hostileIdsStayTextAndLinkToTheirMessages() {
		operating.schedule("hostile", HOSTILE.toArray(String[]::new));

		browser.go("queues/hostile");
		await().untilAsserted(() -> assertThat(linked()).containsExactlyInAnyOrderElementsOf(HOSTILE));
		for (String id : HOSTILE) {
			browser.go("queues/hostile");
			browser.clickText(NAMES + " a", id);
			browser.awaitContent("h1", id);
			browser.awaitText(".timeline", "It waits for its due time");
		}
		assertNothingRan();
	}

	private static List<String> linked() {
		return browser.contents(NAMES + " a");
	}

	@Test
	void hostileFailuresHeadersAndPayloadsStayText() {
		QueueConsumer consumer = operating.application.consume("nasty", 1, (delivery) -> {
			throw new IllegalStateException(HostileRequests.MARKUP + "\n<img src=x onerror=alert(1)>");
		});
		for (String id : HOSTILE) {
			operating.delayQueue.schedule(ScheduleRequest.to("nasty")
				.payload("</pre>" + HostileRequests.MARKUP)
				.id(id)
				.header("<b>\"x", HostileRequests.MARKUP)
				.delay(Duration.ZERO));
		}
		await().until(() -> operating.dead("nasty").size() == HOSTILE.size());
		consumer.stop(Duration.ofSeconds(5));

		browser.go("queues/nasty/dead");
		browser.awaitText("td.why", "IllegalStateException", HostileRequests.MARKUP);
		browser.click("input[aria-label='Select all of this page']");
		browser.awaitText("#discard", "(" + HOSTILE.size() + ")");
		browser.go("queues/nasty/messages/" + "%3Cscript%3Ealert(1)%3C%2Fscript%3E");
		browser.awaitText(".facts", "<b>\"x", HostileRequests.MARKUP);
		browser.awaitText("pre", "</pre>" + HostileRequests.MARKUP);
		browser.awaitText(".timeline", HostileRequests.MARKUP);
		browser.click("#redrive");
		browser.awaitText("#notice", "The message is redriven.");
		assertThat(operating.state("nasty", HostileRequests.MARKUP)).isEqualTo(MessageState.SCHEDULED);
		assertNothingRan();
	}

	private static void assertNothingRan() {
		assertThat(browser.driver().findElements(By.cssSelector("main script, main img, main b b"))).isEmpty();
		assertThat(browser.driver().getTitle()).as("no script has opened a dialog").endsWith("Delay queues");
	}

	@Test
	void missingQueuesMessagesAndViewsAreReported() {
		operating.schedule("known", "o-1");

		browser.go("queues/unknown");
		browser.awaitText("#banner", "No queue of this name has ever been used");
		browser.go("queues/known/messages/o-2");
		browser.awaitText("main", "The queue has no message with this id");
		for (String nonsense : List.of("nonsense", "queues/known/other", "queues/%zz", "queues/known/messages/a/b")) {
			browser.go(nonsense);
			browser.awaitText("main", "There is nothing here");
		}
	}

	@Test
	void keyboardShortcutsNavigateTheDashboard() {
		operating.schedule("keys-one", "o-1");
		operating.schedule("keys-two", "o-1");

		browser.go("queues/keys-one");
		browser.awaitText("h1", "keys-one");
		browser.press("g");
		browser.awaitText(".queues", "keys-one", "keys-two");
		browser.press("/");
		browser.press("s-tw");
		browser.awaitTexts(".queues td.name", "keys-two");
		browser.press(Keys.ESCAPE);
		browser.awaitText(".queues", "keys-one", "keys-two");
		browser.press("?");
		browser.awaitText("dialog", "refresh now", "In flight");
		browser.press(Keys.ESCAPE);
		browser.awaitNone("dialog[open]");
	}

	@Test
	void thePageFitsAPhoneScreen() {
		String id = "a-message-with-a-very-long-id-that-has-no-place-to-break-" + "x".repeat(60);
		List<String> letters = new ArrayList<>(List.of(id));
		IntStream.range(0, 5).forEach((i) -> letters.add("d-" + i));
		operating.letDie("a-queue-with-a-rather-long-name-for-a-small-screen", Set.of(), letters);
		String queue = "queues/a-queue-with-a-rather-long-name-for-a-small-screen";
		operating.delayQueue.schedule(ScheduleRequest.to("a-queue-with-a-rather-long-name-for-a-small-screen")
			.payload("p".repeat(500))
			.id(id + "y")
			.delay(Duration.ofHours(1)));
		browser.chromium().screen(360, 740);
		try {
			for (String route : List.of("", queue, queue + "/dead", queue + "/messages/" + id)) {
				browser.go(route);
				browser.awaitText("main", (route.isEmpty()) ? "Dead letters" : id.substring(0, 20));
				assertThat((Number) browser.driver().executeScript("return document.documentElement.scrollWidth"))
					.as(route)
					.isEqualTo(360L);
			}
		}
		finally {
			browser.chromium().screen(1280, 900);
		}
	}

}
