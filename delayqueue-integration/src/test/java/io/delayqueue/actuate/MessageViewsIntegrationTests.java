package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.delayqueue.MessageKey;
import io.delayqueue.RetryAfterException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.ViewedMessages;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The lists of messages, and the view of one message.
 */
@Tag("slow")
class MessageViewsIntegrationTests extends ViewedMessages {

	@Test
	void scheduledMessagesAreListedByTheirNextAttempt() {
		Instant later = schedule("orders", "later", HOUR.plusSeconds(1));
		Instant sooner = schedule("orders", "sooner/é", HOUR);

		Answer answer = get("orders/messages?state=SCHEDULED");

		assertThat(answer.body()).isEqualTo("{\"queue\":\"orders\",\"state\":\"SCHEDULED\",\"messages\":["
				+ "{\"id\":\"sooner/é\",\"partition\":0,\"epoch\":0,\"nextAttemptAt\":\"%s\",\"attempts\":0},"
					.formatted(sooner)
				+ "{\"id\":\"later\",\"partition\":0,\"epoch\":0,\"nextAttemptAt\":\"%s\",\"attempts\":0}]}"
					.formatted(later));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 7, 40, 41, 1000 })
	void pagesContainEachMessageOnce(int limit) {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			ids.add("a/b &c=%" + i);
			schedule("parted", ids.get(i), HOUR);
		}
		assertThat(follow("parted/messages?state=scheduled&limit=" + limit, "messages"))
			.containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void aPageHasTwentyMessagesByDefault() {
		for (int i = 0; i < 21; i++) {
			schedule("orders", "id-" + i, HOUR);
		}
		JsonNode page = get("orders/messages?state=SCHEDULED").json();
		assertThat(page.get("messages").size()).isEqualTo(20);
		assertThat(get("orders/messages?state=SCHEDULED&from=" + page.get("next").asString()).json()
			.get("messages")
			.size()).isEqualTo(1);
	}

	@Test
	void aListNeverReadsARecord() {
		schedule("orders", "a", HOUR);
		get("orders/messages?state=SCHEDULED");
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			for (String state : List.of("SCHEDULED", "READY", "PENDING", "DEAD")) {
				assertThat(get("orders/messages?state=" + state).status()).isEqualTo(200);
			}
			assertThat(get("orders/dead-letters?reason=CRASHED").status()).isEqualTo(200);
			assertThat(log.commands())
				.filteredOn((command) -> command.arguments().toString().contains(application.prefix()))
				.isNotEmpty()
				.noneSatisfy((command) -> assertThat(command.arguments().toString()).contains(":messages"))
				.filteredOn((command) -> command.name().equals("EVALSHA"))
				.hasSize(5);
			assertThat(log.count("SCAN") + log.count("KEYS") + log.count("HSCAN") + log.count("ZSCAN")).isZero();
		}
	}

	@Test
	void readyAndPendingMessagesAreListedWithTheirDetails() {
		Instant before = Instant.now().minusSeconds(60);
		for (String id : List.of("a", "b", "c")) {
			schedule("orders", id, Duration.ZERO);
		}
		consume("orders", 1, (delivery) -> {
			this.go.await();
			return null;
		});
		await().until(() -> count("orders", "pending") == 1 && count("orders", "ready") == 2);

		JsonNode pending = get("orders/messages?state=PENDING").json().get("messages");
		assertThat(pending.size()).isEqualTo(1);
		assertThat(pending.get(0).propertyNames()).containsExactly("id", "partition", "epoch", "readyAt", "consumer",
				"idleMillis", "attempts");
		assertThat(pending.get(0).get("id").asString()).isEqualTo("a");
		assertThat(Instant.parse(pending.get(0).get("readyAt").asString())).isAfter(before);
		JsonNode consumers = get("orders").json().get("consumerDetails");
		assertThat(pending.get(0).get("consumer")).isEqualTo(consumers.get(0).get("name"));
		JsonNode ready = get("orders/messages?state=READY").json().get("messages");
		assertThat(ready.values()).extracting((message) -> message.get("id").asString()).containsExactly("b", "c");
		assertThat(ready.get(0).propertyNames()).containsExactly("id", "partition", "epoch", "readyAt", "attempts");
		JsonNode one = get("orders/message?id=a").json();
		assertThat(one.get("state").asString()).isEqualTo("PENDING");
		assertThat(one.get("consumer")).isEqualTo(consumers.get(0).get("name"));
		assertThat(one.get("readyAt")).isEqualTo(pending.get(0).get("readyAt"));
		assertThat(get("orders/message?id=b").json().get("state").asString()).isEqualTo("READY");
	}

	@Test
	void deadLettersAreListedWithTheirReasonsAndSelectedByThem() {
		for (int i = 0; i < 12; i++) {
			delayQueue.schedule(ScheduleRequest.to("parted").payload("p").id("dead-" + i).delay(Duration.ZERO));
		}
		consume("parted", 3, (delivery) -> {
			throw new IllegalStateException("<b>no</b> way");
		});
		await().until(() -> count("parted", "dead") == 12);

		JsonNode page = get("parted/dead-letters?limit=5").json();
		assertThat(page.propertyNames()).containsExactly("queue", "deadLetters", "next");
		JsonNode letter = page.get("deadLetters").get(0);
		assertThat(letter.propertyNames()).containsExactly("id", "partition", "epoch", "diedAt", "failures", "crashes",
				"reason", "exception", "message");
		assertThat(letter.get("reason").asString()).isEqualTo("HANDLER_FAILED");
		assertThat(letter.get("exception").asString()).isEqualTo(IllegalStateException.class.getName());
		assertThat(letter.get("message").asString()).isEqualTo("<b>no</b> way");
		assertThat(follow("parted/dead-letters?limit=5", "deadLetters")).hasSize(12).doesNotHaveDuplicates();
		assertThat(follow("parted/dead-letters?limit=5&reason=HANDLER_FAILED", "deadLetters")).hasSize(12);
		assertThat(follow("parted/dead-letters?reason=CRASHED", "deadLetters")).isEmpty();
		JsonNode message = get("parted/messages?state=DEAD&limit=1").json().get("messages").get(0);
		assertThat(message.propertyNames()).containsExactly("id", "partition", "epoch", "diedAt", "attempts",
				"lastFailure");
		assertThat(message.get("lastFailure").get("message").asString()).isEqualTo("<b>no</b> way");
		JsonNode one = get("parted/message?id=dead-3").json();
		assertThat(one.get("state").asString()).isEqualTo("DEAD");
		assertThat(Instant.parse(one.get("diedAt").asString())).isEqualTo(application.bean(DelayQueueAdmin.class)
			.deadLetter(MessageKey.of("parted", "dead-3"))
			.orElseThrow()
			.diedAt());
		assertThat(one.has("nextAttemptAt")).isFalse();
	}

	@Test
	void messagesOfAGroupAreListedInEveryState() {
		for (String group : List.of("ann", "anna", "zoe")) {
			for (String id : List.of("first", "second", "third")) {
				delayQueue.schedule(ScheduleRequest.to("parted")
					.payload("p")
					.id(id)
					.group(group)
					.delay(id.equals("first") ? Duration.ZERO : HOUR.plusSeconds(id.length())));
			}
		}
		consume("parted", 3, (delivery) -> {
			throw new IllegalStateException("no");
		});
		await().until(() -> count("parted", "dead") == 3);

		JsonNode page = get("parted/messages?group=ann").json();
		assertThat(page.has("state")).isFalse();
		assertThat(page.get("messages").values())
			.extracting((message) -> message.get("id").asString() + " " + message.get("group").asString() + " "
					+ message.get("state").asString())
			.containsExactly("third ann SCHEDULED", "second ann SCHEDULED", "first ann DEAD");
		assertThat(page.get("messages").get(0).propertyNames()).containsExactly("id", "group", "partition", "epoch",
				"state", "dueAt", "attempts");
		assertThat(page.get("messages").get(2).propertyNames()).containsExactly("id", "group", "partition", "epoch",
				"state", "diedAt", "attempts", "lastFailure");
		assertThat(follow("parted/messages?group=ann&limit=1", "messages")).containsExactly("third", "second", "first");
		assertThat(follow("parted/messages?group=zoe&state=DEAD&limit=1", "messages")).containsExactly("first");
		assertThat(follow("parted/messages?group=an", "messages")).isEmpty();
		assertThat(follow("parted/messages?groupPrefix=an&limit=2", "messages")).hasSize(6);
		assertThat(get("parted/messages?groupPrefix=an&state=SCHEDULED").json().get("messages").values()).hasSize(4)
			.allSatisfy((message) -> assertThat(message.get("group").asString()).startsWith("ann"));
		assertThat(follow("parted/messages?groupPrefix=annab", "messages")).isEmpty();
		schedule("orders", "a", HOUR);
		assertThat(application.get("/actuator/delayqueue?group=ann").json().get("queues").values())
			.extracting((queue) -> queue.get("name").asString())
			.containsExactly("parted");
		assertThat(application.get("/actuator/delayqueue?group=bob").json().get("queues").isEmpty()).isTrue();
	}

	@Test
	void messagesAreFoundByTheFirstCharactersOfTheirIds() {
		for (int i = 0; i < 300; i++) {
			schedule("orders", "order-" + i, HOUR);
		}
		schedule("orders", "ordnance", HOUR);

		assertThat(follow("orders/messages?state=SCHEDULED&idPrefix=order-29&limit=4", "messages"))
			.containsExactlyInAnyOrder("order-29", "order-290", "order-291", "order-292", "order-293", "order-294",
					"order-295", "order-296", "order-297", "order-298", "order-299");
		assertThat(follow("orders/messages?state=DEAD&idPrefix=order", "messages")).isEmpty();
	}

	@Test
	void retriesAreListedApartFromFirstAttempts() {
		List<String> first = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			first.add("first-" + i);
			schedule("again", "first-" + i, HOUR);
		}
		List<String> retried = List.of("r-1", "r-2", "r-3", "r-4", "r-5");
		retried.forEach((id) -> schedule("again", id, Duration.ZERO));
		consume("again", 1, (delivery) -> {
			throw new RetryAfterException(HOUR, "later");
		});
		await().until(() -> follow("again/messages?state=SCHEDULED&retries=true", "messages").size() == 5);

		for (int limit : List.of(1, 2, 5, 250, 1000)) {
			assertThat(follow("again/messages?state=SCHEDULED&retries=true&limit=" + limit, "messages"))
				.containsExactlyInAnyOrderElementsOf(retried);
		}
		assertThat(follow("again/messages?state=SCHEDULED&retries=false&limit=7", "messages"))
			.containsExactlyInAnyOrderElementsOf(first);
	}

	@Test
	void aScheduledMessageIsShownWithAllFields() {
		delayQueue.schedule(ScheduleRequest.to("parted")
			.payload(List.of("secret"))
			.id("a/b c")
			.group("g/1")
			.header("trace", "t-1")
			.delay(HOUR));
		JsonNode message = get("parted/message?id=a%2Fb%20c").json();

		assertThat(message.propertyNames()).containsExactly("queue", "id", "group", "partition", "epoch", "state",
				"dueAt", "nextAttemptAt", "attempts", "failures", "crashes", "defers", "headers", "payload",
				"maxAttempts");
		assertThat(message.get("id").asString()).isEqualTo("a/b c");
		assertThat(message.get("group").asString()).isEqualTo("g/1");
		assertThat(message.get("state").asString()).isEqualTo("SCHEDULED");
		assertThat(message.get("nextAttemptAt")).isEqualTo(message.get("dueAt"));
		assertThat(message.get("headers").toString()).isEqualTo("{\"trace\":\"t-1\"}");
		assertThat(message.get("payload").toString())
			.isEqualTo("{\"size\":10,\"hidden\":\"not-allowed\",\"truncated\":false}");
		assertThat(get("parted/message?id=a%2Fb%20c&group=g%2F1").json()).isEqualTo(message);
		assertUnknown(get("parted/message?id=a%2Fb%20c&group=g%2F2"), "message");
	}

	@Test
	void aRetriedMessageShowsItsFailuresAndNextAttempt() {
		schedule("again", "a", Duration.ZERO);
		consume("again", 1, (delivery) -> {
			throw new RetryAfterException(HOUR, "the partner | said so");
		});
		await().until(() -> get("again/message?id=a").json().get("failures").asInt() == 1);
		JsonNode message = get("again/message?id=a").json();
		assertThat(message.get("attempts").asInt()).isEqualTo(1);
		assertThat(message.get("state").asString()).isEqualTo("SCHEDULED");
		assertThat(Instant.parse(message.get("nextAttemptAt").asString()))
			.isAfter(Instant.parse(message.get("dueAt").asString()).plusSeconds(3000));
		assertThat(message.get("lastFailure").propertyNames()).containsExactly("reason", "exception", "message", "at",
				"process", "tookMillis");
		assertThat(message.get("lastFailure").get("exception").asString())
			.isEqualTo(RetryAfterException.class.getName());
		assertThat(message.get("lastFailure").get("message").asString()).isEqualTo("the partner | said so");
		JsonNode listed = get("again/messages?state=SCHEDULED").json().get("messages").get(0);
		assertThat(listed.get("attempts").asInt()).isEqualTo(1);
		assertThat(listed.get("lastFailure")).isEqualTo(message.get("lastFailure"));
		assertThat(listed.get("nextAttemptAt")).isEqualTo(message.get("nextAttemptAt"));
	}

	@Test
	void aMessageWithAnUnreadableRecordIsShownInPart() {
		schedule("orders", "a", HOUR);
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("HSET", application.prefix() + ":{orders:0}:messages", "a", "2something");
		}
		JsonNode message = get("orders/message?id=a").json();
		assertThat(message.get("state").asString()).isEqualTo("SCHEDULED");
		assertThat(message.get("unreadable").asString()).contains("version '2'");
		assertThat(message.has("payload")).isFalse();
		assertThat(message.has("nextAttemptAt")).isTrue();
		assertThat(get("orders/message?id=a&group=g").status()).as("its group is stored beside the record")
			.isEqualTo(404);
	}

	private long count(String queue, String what) {
		return get(queue).json().get(what).asLong();
	}

	private List<String> follow(String path, String list) {
		Function<JsonNode, String> id = (line) -> line.get("id").asString();
		List<String> met = new ArrayList<>();
		JsonNode page = get(path).json();
		page.get(list).values().stream().map(id).forEach(met::add);
		while (page.has("next")) {
			page = get(path + "&from=" + page.get("next").asString()).json();
			page.get(list).values().stream().map(id).forEach(met::add);
			assertThat(met).hasSizeLessThan(1000);
		}
		return met;
	}

}
