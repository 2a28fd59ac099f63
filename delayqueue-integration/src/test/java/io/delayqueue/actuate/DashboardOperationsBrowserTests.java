package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.OperatedDashboard;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;
import org.openqa.selenium.support.ui.Select;

import static io.delayqueue.actuate.fixture.OperatedDashboard.NAMES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The operations of the dashboard in a browser, with unrestricted access. Each test uses
 * its own queues.
 */
@Tag("slow")
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardOperationsBrowserTests {

	@RegisterExtension
	static final OperatedDashboard dashboard = new OperatedDashboard();

	@Test
	void aMessageShowsItsHistoryAndCanBeRunAtOnceOrCancelled() {
		dashboard.operating.delayQueue.schedule(ScheduleRequest.to("story")
			.payload(List.of("some", "payload"))
			.id("o-1")
			.group("alice")
			.header("source", "shop")
			.delay(Duration.ofMinutes(90)));

		dashboard.browser.go("queues/story");
		dashboard.browser.enter(".find input", "o-1" + Keys.ENTER);
		dashboard.browser.awaitText("h1", "o-1");
		dashboard.browser.awaitText(".head", "Scheduled");
		dashboard.browser.awaitText(".timeline", "It is due then", "in 1 h 29 min", "It waits for its due time");
		dashboard.browser.awaitText(".facts", "Group", "alice", "source", "shop");
		dashboard.browser.awaitText("pre", "[\"some\",\"payload\"]");
		dashboard.browser.click("#now");
		dashboard.browser.awaitText("#notice", "The message is due now.");
		dashboard.browser.awaitText(".timeline", "It is overdue");
		assertThat(dashboard.operating.dueAt("story", "o-1")).isBefore(Instant.now());

		dashboard.browser.click("#cancel");
		dashboard.browser.click("dialog .danger");
		dashboard.browser.awaitText("#notice", "The message is cancelled.");
		dashboard.browser.awaitText("main", "It is not in the queue any more");
		assertThat(dashboard.operating.state("story", "o-1")).isNull();
	}

	@Test
	void aRecurringScheduleIsPausedResumedAndRun() {
		RecurringOperations recurring = dashboard.operating.application.bean(RecurringOperations.class);
		recurring.createOrReplace(
				RecurringSchedule.to("digests", "daily").payload("p").cron("0 0 9 * * *", "Europe/Berlin"));

		dashboard.browser.go("queues/digests");
		dashboard.browser.click(".messages a[href$='/recurring']");
		dashboard.browser.awaitText("h1", "Recurring schedules of digests");
		dashboard.browser.awaitText("main table", "daily", "active", "every day at 09:00", "0 0 9 * * * Europe/Berlin");
		dashboard.browser.click("main table button");
		dashboard.browser.awaitText("#notice", "Recurring schedule daily is paused.");
		dashboard.browser.awaitText("main table", "paused", "Resume");
		assertThat(recurring.get("digests", "daily").orElseThrow().pausedSince()).isPresent();
		dashboard.browser.click("main table button");
		dashboard.browser.awaitText("main table", "active");
		dashboard.browser.go("");
		dashboard.browser.clickText("main a", "Recurring");
		dashboard.browser.awaitText("h1", "Recurring schedules");
		dashboard.browser.click("tr[data-key='digests daily'] summary");
		assertThat(dashboard.browser.texts("tr[data-key='digests daily'] details li")).hasSize(4);
		dashboard.browser.click("tr[data-key='digests daily'] button + button");
		dashboard.browser.awaitText("dialog", "Run daily now?");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("#notice", "Recurring schedule daily has one more occurrence, due now.");
		// The overdue message of this queue would be a problem in the list of all queues
		recurring.delete("digests", "daily");
		dashboard.operating.admin.purge("digests");
	}

	@Test
	void selectedDeadLettersAreRedriven() {
		dashboard.operating.letDie("select", Set.of(), List.of("d-1", "d-2", "d-3", "d-4"));

		dashboard.browser.go("queues/select/dead");
		dashboard.browser.awaitText(".horizon", "HANDLER_FAILED IllegalStateException", "4");
		dashboard.browser.click("input[aria-label='Select d-2']");
		dashboard.browser.click("input[aria-label='Select d-4']");
		dashboard.browser.press("r");
		dashboard.browser.awaitText("#redrive", "Redrive selected (2)");
		assertThat(dashboard.browser.driver().switchTo().activeElement().getDomAttribute("aria-label"))
			.isEqualTo("Select d-4");
		dashboard.browser.click("#redrive");
		dashboard.browser.awaitText("#notice", "2 dead letters redriven.");
		dashboard.browser.awaitText("#redrive", "Redrive selected (0)");
		await().untilAsserted(() -> assertThat(dashboard.browser.texts(NAMES)).containsExactlyInAnyOrder("d-1", "d-3"));
		assertThat(dashboard.operating.dead("select")).containsExactlyInAnyOrder("d-1", "d-3");
		assertThat(dashboard.operating.state("select", "d-2")).isEqualTo(MessageState.SCHEDULED);
	}

	@Test
	void ofDeadLettersWithOneIdTheSelectedGroupIsDiscarded() {
		List<String> groups = dashboard.operating.letDieInGroups("parted", "same");

		dashboard.browser.go("queues/parted/dead");
		for (String group : groups) {
			dashboard.browser.click("input[aria-label='Select same of group " + group + "']");
			dashboard.browser.awaitText("#discard", "Discard selected (1)");
			dashboard.browser.click("#discard");
			dashboard.browser.click("dialog .danger");
			dashboard.browser.awaitText("#notice", "1 dead letter discarded.");
			dashboard.browser.awaitText("#discard", "Discard selected (0)");
			assertThat(dashboard.operating.delayQueue.find(new MessageKey("parted", "same", group))).isEmpty();
		}
		assertThat(dashboard.operating.dead("parted")).isEmpty();
	}

	@Test
	void deadLettersOfAReasonAreCountedAndThenRedrivenOrDiscarded() {
		dashboard.operating.letDie("reasons", Set.of("n-1", "n-2"), List.of("n-1", "n-2", "d-1", "d-2", "d-3"));

		dashboard.browser.go("queues/reasons/dead");
		new Select(dashboard.browser.find("#filter")).selectByVisibleText("NEVER_RETRIED");
		await().untilAsserted(() -> assertThat(dashboard.browser.texts(NAMES)).containsExactlyInAnyOrder("n-1", "n-2"));
		dashboard.browser.click("#redrive-all");
		dashboard.browser.awaitText("dialog", "Redrive 2 dead letters with reason NEVER_RETRIED?");
		dashboard.browser.enter("dialog input", "10m");
		assertThat(dashboard.operating.dead("reasons")).as("only counted so far").hasSize(5);
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("#notice", "2 dead letters with reason NEVER_RETRIED redriven.");
		dashboard.browser.awaitText("main", "No dead letter with reason NEVER_RETRIED");

		new Select(dashboard.browser.find("#filter")).selectByVisibleText("any");
		dashboard.browser.click("#discard-all");
		dashboard.browser.awaitText("dialog", "Discard 3 dead letters?");
		dashboard.browser.press(Keys.ESCAPE);
		dashboard.browser.awaitNone("dialog[open]");
		assertThat(dashboard.operating.dead("reasons")).hasSize(3);
		dashboard.browser.click("#discard-all");
		dashboard.browser.click("dialog .danger");
		dashboard.browser.awaitText("main", "Nothing of this queue has failed for good.");
		assertThat(dashboard.operating.dead("reasons")).isEmpty();
	}

	@Test
	void aDeadLetterIsEditedAndRedriven() {
		dashboard.operating.letDie("editing", Set.of(), List.of("o-1", "o-2"));

		dashboard.browser.go("queues/editing/messages/o-1");
		dashboard.browser.click("#edit");
		assertThat(dashboard.browser.find("dialog textarea[name=payload]").getDomProperty("value")).isEqualTo("\"p\"");
		dashboard.browser.enter("dialog textarea[name=headers]", "source");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("dialog", "The headers are not JSON");
		dashboard.browser.enter("dialog textarea[name=headers]", "{\"source\": \"shop\"}");
		dashboard.browser.enter("dialog textarea[name=payload]", "{");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("dialog", "payload must be JSON, as the present payload is");
		dashboard.browser.enter("dialog textarea[name=payload]", "{\"amount\": 1}");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("#notice", "The message is edited and redriven.", "SHA-256 before");
		dashboard.browser.awaitText(".head", "Scheduled");
		dashboard.browser.awaitText(".facts", "source", "shop");
		dashboard.browser.awaitText("pre", "{\"amount\": 1}");

		dashboard.browser.go("queues/editing/messages/o-2");
		dashboard.browser.click("#edit");
		dashboard.browser.enter("dialog input[name=newId]", "o-1");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("dialog", "A message with the new id exists");
		dashboard.browser.enter("dialog input[name=newId]", "o-3");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("h1", "o-3");
		dashboard.browser.awaitText("pre", "\"p\"");
		assertThat(dashboard.operating.dead("editing")).isEmpty();
	}

	@Test
	void deadLettersOfAllQueuesAreRedriven() {
		dashboard.operating.letDie("everywhere-1", Set.of("n-1"), List.of("n-1", "f-1"));
		dashboard.operating.letDie("everywhere-2", Set.of("n-2"), List.of("n-2"));

		dashboard.browser.go("");
		dashboard.browser.press("r");
		dashboard.browser.click("#redrive-everywhere");
		new Select(dashboard.browser.find("dialog select")).selectByVisibleText("NEVER_RETRIED");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("dialog", "with reason NEVER_RETRIED of");
		assertThat(dashboard.operating.dead("everywhere-2")).as("only counted so far").hasSize(1);
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("#notice", "with reason NEVER_RETRIED of", "redriven.");
		assertThat(dashboard.operating.dead("everywhere-1")).containsExactly("f-1");
		assertThat(dashboard.operating.dead("everywhere-2")).isEmpty();
	}

	@Test
	void aQueueIsPausedAndResumed() {
		dashboard.operating.schedule("pausing", "o-1");

		dashboard.browser.go("queues/pausing");
		dashboard.browser.click("#pause");
		dashboard.browser.awaitText(".head", "paused", "Resume");
		dashboard.browser.awaitText("#notice", "Queue pausing is paused");
		assertThat(dashboard.operating.admin.status("pausing").isPaused()).isTrue();
		dashboard.browser.click("#resume");
		dashboard.browser.awaitText(".head", "on time", "Pause");
		assertThat(dashboard.operating.admin.status("pausing").isPaused()).isFalse();
	}

	@Test
	void aQueueAndAGroupAreHeldAndReleased() {
		dashboard.operating.schedule("holding", "o-1");

		dashboard.browser.go("queues/holding");
		dashboard.browser.click("#hold");
		dashboard.browser.enter("dialog input[name=why]", "the shop is away");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText("#notice", "Queue holding is held until");
		dashboard.browser.awaitText(".head", "held");
		dashboard.browser.awaitText(".holds", "the whole queue", "an operator", "the shop is away");
		assertThat(dashboard.operating.admin.status("holding").isHeld()).isTrue();
		dashboard.browser.click("#hold");
		dashboard.browser.enter("dialog input[name=group]", "g");
		dashboard.browser.click("dialog .primary");
		dashboard.browser.awaitText(".holds", "group g");
		dashboard.browser.go("queues/holding/messages/o-1");
		dashboard.browser.awaitText(".timeline", "Its queue is held until then, by an operator", "the shop is away");
		assertThat(dashboard.browser.find(".timeline").getText()).doesNotContain("Its group is held");
		dashboard.browser.go("queues/holding");
		dashboard.browser.click("#release");
		dashboard.browser.awaitText("#notice", "Nothing of queue holding is held.");
		assertThat(dashboard.operating.admin.holds("holding")).isEmpty();
	}

	@Test
	void aRefusedDialogStaysOpenWithItsInput() {
		dashboard.operating.schedule("refusing", "o-1");

		dashboard.browser.go("queues/refusing");
		assertThat((Boolean) dashboard.browser.driver()
			.executeScript("const { right } = document.getElementById('repartition').getBoundingClientRect();"
					+ "return right <= document.querySelector('#repartition + span').getBoundingClientRect().left"))
			.as("the button does not overlap its description")
			.isTrue();
		dashboard.browser.go("queues/refusing/messages/o-1");
		dashboard.browser.click("#reschedule");
		dashboard.browser.awaitText("dialog", "Or at, in the time zone "
				+ dashboard.browser.driver().executeScript("return Intl.DateTimeFormat().resolvedOptions().timeZone"));
		dashboard.browser.enter("dialog input[name=delay]", "30" + Keys.ENTER);
		dashboard.browser.awaitText("dialog", "A parameter is invalid", "delay must be a duration", "with its unit");
		assertThat(dashboard.browser.find("dialog input[name=delay]").getDomProperty("value")).isEqualTo("30");
		assertThat(dashboard.operating.dueAt("refusing", "o-1")).isAfter(Instant.now().plusSeconds(2400));
		dashboard.browser.enter("dialog input[name=delay]", "30m" + Keys.ENTER);
		dashboard.browser.awaitText("#notice", "The message is rescheduled.");
		dashboard.browser.awaitNone("dialog[open]");
		assertThat(dashboard.operating.dueAt("refusing", "o-1")).isBefore(Instant.now().plusSeconds(2400));
	}

	@Test
	void aPurgeRequiresTheNameOfTheQueue() {
		dashboard.operating.schedule("purging", "o-1", "o-2");

		dashboard.browser.go("queues/purging");
		dashboard.browser.click("#purge");
		dashboard.browser.enter("dialog input[name=confirm]", "purge" + Keys.ENTER);
		assertThat(dashboard.browser.find("dialog .danger").isEnabled()).isFalse();
		dashboard.browser.enter("dialog input[name=confirm]", "purging");
		dashboard.browser.click("dialog .danger");
		dashboard.browser.awaitText("#notice", "Removed: 2 undelivered, 0 in flight, 0 dead letters.");
		assertThat(dashboard.operating.state("purging", "o-1")).isNull();
	}

}
