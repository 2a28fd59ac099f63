package io.delayqueue.actuate;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.MissedPolicy;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.actuate.fixture.Operated;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Recurring schedules, as operators see them.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class RecurringViewIntegrationTests {

	private static Operating operating;

	private static RecurringOperations recurring;

	@BeforeAll
	static void start() {
		operating = Operating.start(SharedRedis.get().uri(), "delayqueue.queues.digests.partitions=3");
		recurring = operating.application.bean(RecurringOperations.class);
	}

	@AfterAll
	static void stop() {
		operating.close();
	}

	@Test
	void schedulesAreListedWithTheirNextFiveInstants() {
		recurring.createOrReplace(
				RecurringSchedule.to("digests", "daily").payload("p").group("g").cron("0 0 9 * * *", "Europe/Berlin"));
		RecurringSnapshot stored = recurring.get("digests", "daily").orElseThrow();

		JsonNode daily = listed("digests").get(0);

		assertThat(daily.get("key").asString()).isEqualTo("daily");
		assertThat(daily.get("group").asString()).isEqualTo("g");
		assertThat(daily.get("cron").asString()).isEqualTo("0 0 9 * * *");
		assertThat(daily.get("zone").asString()).isEqualTo("Europe/Berlin");
		assertThat(daily.get("missed").asString()).isEqualTo("LATEST");
		assertThat(daily.get("overlap").asString()).isEqualTo("ALLOW");
		List<Instant> upcoming = new ArrayList<>();
		daily.get("upcoming").forEach((instant) -> upcoming.add(Instant.parse(instant.asString())));
		assertThat(upcoming).hasSize(5).isEqualTo(stored.upcoming(5));
		assertThat(daily.get("lateMillis").asLong()).isZero();
		assertThat(daily.get("missedInstants").asLong()).isZero();
		assertThat(daily.has("pausedSince")).isFalse();
		assertThat(daily.has("application")).isFalse();
	}

	@Test
	void pagesListEachSchedule() {
		for (int i = 0; i < 30; i++) {
			recurring
				.createOrReplace(RecurringSchedule.to("pages", "s-" + i).payload("p").every(Duration.ofDays(i + 1)));
		}
		List<String> keys = new ArrayList<>();
		String from = "";
		do {
			JsonNode page = get("pages/recurring?limit=7" + from).json();
			page.get("schedules").forEach((one) -> keys.add(one.get("key").asString()));
			from = page.has("next") ? "&from=" + page.get("next").asString() : null;
		}
		while (from != null);
		assertThat(keys).hasSize(30).doesNotHaveDuplicates();
	}

	@Test
	void schedulesOfAllQueuesAreListedPageByPage() {
		for (String queue : List.of("all-a", "all-b", "all-c")) {
			for (int i = 0; i < 3; i++) {
				recurring.createOrReplace(
						RecurringSchedule.to(queue, "k-" + i).payload("p").cron("0 0 9 * * MON-FRI", "UTC"));
			}
		}
		List<String> listed = new ArrayList<>();
		JsonNode page = get("*/recurring?limit=2").json();
		assertThat(page.has("queue")).isFalse();
		while (page != null) {
			page.get("schedules").values().forEach((one) -> {
				listed.add(one.get("queue").asString() + " " + one.get("key").asString());
				assertThat(one.get("upcoming").size()).isLessThanOrEqualTo(5);
			});
			page = page.has("next") ? get("*/recurring?limit=2&from=" + page.get("next").asString()).json() : null;
		}
		assertThat(listed).filteredOn((one) -> one.startsWith("all-"))
			.containsExactlyInAnyOrder("all-a k-0", "all-a k-1", "all-a k-2", "all-b k-0", "all-b k-1", "all-b k-2",
					"all-c k-0", "all-c k-1", "all-c k-2");
		assertThat(get("all-a/recurring").json().get("schedules").get(0).get("words").asString())
			.isEqualTo("at 09:00 on Monday to Friday");
		for (String wrong : List.of("abc", "all-a:abc", ":", "all-a:9-0.1", "x".repeat(300) + ":")) {
			Operating.assertInvalid(get("*/recurring?from=" + wrong), "from", "the cursor of the previous page");
		}
		Operating.assertInvalid(get("*/recurring?state=DEAD"), "state", "left out");
		assertThat(get("*/messages?state=DEAD").status()).isEqualTo(404);
	}

	@Test
	void theOutcomeOfTheLastOccurrenceIsShown() {
		QueueConsumer consumer = operating.application.consume("outcomes", 1, (delivery) -> {
			throw new IllegalStateException("busy");
		});
		recurring.createOrReplace(RecurringSchedule.to("outcomes", "a").payload("p").every(Duration.ofSeconds(1)));
		JsonNode last = await().until(() -> listed("outcomes").get(0).get("lastOccurrence"),
				(one) -> one != null && one.has("state") && one.get("state").asString().equals("DEAD"));
		assertThat(last.get("id").asString()).isEqualTo("a@" + last.get("instant").asString());
		assertThat(last.get("attempts").asInt()).isEqualTo(1);
		assertThat(last.get("lastFailure").get("message").asString()).isEqualTo("busy");
		recurring.delete("outcomes", "a");
		consumer.stop(Duration.ofSeconds(5));
	}

	@Test
	void theLastOccurrenceOfAScheduleThatStoresAheadHasCome() {
		QueueConsumer consumer = operating.application.consume("ahead", 1, (delivery) -> null);
		Instant begin = Instant.now();
		for (String every : List.of("* * * * * *", "")) {
			RecurringSchedule schedule = RecurringSchedule.to("ahead", "a" + every.length())
				.payload("p")
				.missed(MissedPolicy.ALL);
			recurring
				.createOrReplace(every.isEmpty() ? schedule.every(Duration.ofSeconds(1)) : schedule.cron(every, "UTC"));
		}
		await().untilAsserted(() -> {
			JsonNode both = listed("ahead");
			assertThat(both.size()).isEqualTo(2);
			both.values().forEach((one) -> {
				Instant come = Instant.parse(one.at("/lastOccurrence/instant").asString(Instant.MAX.toString()));
				assertThat(come).isAfter(begin).isBefore(Instant.parse(one.get("lastInstant").asString()));
			});
		});
		for (String key : List.of("a11", "a0")) {
			recurring.delete("ahead", key);
		}
		consumer.stop(Duration.ofSeconds(5));
	}

	@Test
	void operatorsPauseResumeAndRun() {
		recurring.createOrReplace(RecurringSchedule.to("operated", "a").payload("p").every(Duration.ofDays(1)));

		JsonNode paused = operating.post("operated", "pause-recurring", "{'key':'a'}").json();
		assertThat(Instant.parse(paused.get("pausedSince").asString()))
			.isEqualTo(recurring.get("operated", "a").orElseThrow().pausedSince().orElseThrow());
		assertThat(paused.get("upcoming").isEmpty()).isTrue();

		JsonNode run = operating.post("operated", "run-recurring", "{'key':'a'}").json();
		assertThat(run.get("result").asString()).isEqualTo("SCHEDULED");
		assertThat(operating.dueAt("operated", run.get("id").asString())).isBefore(Instant.now().plusSeconds(5));

		JsonNode resumed = operating.post("operated", "resume-recurring", "{'key':'a'}").json();
		assertThat(resumed.has("pausedSince")).isFalse();
		assertThat(resumed.get("upcoming").size()).isEqualTo(5);

		operating.admin.drain("operated");
		assertThat(operating.post("operated", "run-recurring", "{'key':'a'}").status()).isEqualTo(409);
	}

	@Test
	void anUnknownOutcomeIsReportedWithWhatToDo(CapturedOutput output) {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(), LostReply.class,
				"management.endpoint.delayqueue.access=unrestricted")) {
			application.bean(RecurringOperations.class)
				.createOrReplace(RecurringSchedule.to("lost", "a").payload("p").every(Duration.ofDays(1)));

			Answer answer = application.post("/actuator/delayqueue/lost/run-recurring", "{\"key\":\"a\"}");

			assertThat(answer.status()).isEqualTo(503);
			assertThat(answer.json().get("type").asString()).isEqualTo("urn:delayqueue:outcome-unknown");
			assertThat(answer.json().get("detail").asString()).contains("before you repeat");
			assertThat(application.bean(Operated.class).first("lost")).satisfies((event) -> {
				assertThat(event.id()).isEqualTo("m");
				assertThat(event.messages()).isZero();
			});
			assertThat(output.getOut().lines()).filteredOn((line) -> line.contains("of queue 'lost'"))
				.singleElement()
				.asString()
				.contains(" WARN ")
				.endsWith("message 'm': it is unknown whether the message was scheduled: IllegalStateException: cut");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Operated.Recorder.class)
	static class LostReply {

		@Bean
		RecurringOperations recurring(DelayQueueEngine engine) {
			RecurringOperations operations = engine.recurring();
			return (RecurringOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RecurringOperations.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("runNow")) {
							throw new ScheduleOutcomeUnknownException("lost", "m", new IllegalStateException("cut"));
						}
						return method.invoke(operations, arguments);
					});
		}

	}

	@Test
	void invalidRequestsAreRejected() {
		recurring.createOrReplace(RecurringSchedule.to("refused", "a").payload("p").every(Duration.ofDays(1)));
		for (String action : List.of("pause-recurring", "resume-recurring", "run-recurring")) {
			assertThat(operating.post("refused", action, "{'key':'unknown'}").status()).isEqualTo(404);
			Operating.assertInvalid(operating.post("refused", action, "{}"), "key", "given");
			Operating.assertInvalid(operating.post("refused", action, "{'key':'a','id':'b'}"), "id", "left out");
		}
		Operating.assertInvalid(get("refused/recurring?from=abc"), "from", "the cursor of the previous page");
		Operating.assertInvalid(get("refused/recurring?limit=0"), "limit", "from 1 to 1000");
		assertThat(get("missing/recurring").status()).isEqualTo(404);
	}

	private static JsonNode listed(String queue) {
		return get(queue + "/recurring").json().get("schedules");
	}

	private static Answer get(String path) {
		return operating.application.get("/actuator/delayqueue/" + path);
	}

}
