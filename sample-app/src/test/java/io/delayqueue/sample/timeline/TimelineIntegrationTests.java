package io.delayqueue.sample.timeline;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

import io.delayqueue.SortableId;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.sample.SampleInstances;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The Timeline part of the HTTP interface, on two instances. */
class TimelineIntegrationTests {

	private static SampleInstances sample;

	private final String user = "user:" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		sample = SampleInstances.start();
	}

	@AfterAll
	static void stop() {
		sample.close();
	}

	@Test
	void anAddedMessageIsDeliveredAndFoundByItsExactId() {
		Answer added = add("215857550229364736");
		assertThat(added.status()).isEqualTo(201);
		assertThat(added.header("Location")).endsWith("/timeline/" + this.user + "/215857550229364736");
		assertThat(added.body().propertyNames()).containsExactlyInAnyOrder("user", "msgId");
		assertThat(added.body().get("msgId").isString()).isTrue();
		await().until(() -> find("215857550229364736").status() == 200);
		Answer found = find("215857550229364736");
		assertThat(found.body().propertyNames()).containsExactlyInAnyOrder("msgId", "deliveredAt");
		assertThat(found.text("msgId")).isEqualTo("215857550229364736");
		assertThat(found.instant("deliveredAt")).isBetween(Instant.now().minusSeconds(600),
				Instant.now().plusSeconds(1));
		assertThat(page("").body().get("messages").get(0)).isEqualTo(found.body());
		// the same doubles, but not the same ids
		for (String neighbour : List.of("215857550229364735", "215857550229364737", "215857550229364739")) {
			assertThat(find(neighbour).status()).isEqualTo(404);
			assertThat(find(neighbour).text("type")).endsWith(":unknown-message");
		}
	}

	@Test
	void anIdIsAcceptedAsANumberAndAsAText() {
		assertThat(add("9007199254740993").text("msgId")).isEqualTo("9007199254740993");
		assertThat(add("\"9007199254740994\"").text("msgId")).isEqualTo("9007199254740994");
		assertDuplicate(add("\"9007199254740993\""));
		assertDuplicate(add("9007199254740994"));
		awaitTotal(2);
		// also when the queue has removed them
		sample.redis().call("DEL", "dq:{timeline:0}:done");
		assertDuplicate(add("9007199254740993"));
		assertThat(ids("")).containsExactly("9007199254740993", "9007199254740994");
	}

	@Test
	void usersCanHaveTheSameIds() {
		add("1");
		assertThat(sample.client().post("/timeline", body(this.user + "2", "1")).status()).isEqualTo(201);
		awaitTotal(1);
		await().until(() -> sample.client().get("/timeline/" + this.user + "2/1").status() == 200);
	}

	@Test
	void everyLongIsSorted() {
		List<Long> ids = new ArrayList<>(List.of(Long.MIN_VALUE, Long.MIN_VALUE + 1, -9007199254740993L, -2L, -1L, 0L,
				1L, 9L, 10L, 9007199254740992L, 9007199254740993L, 215857550229364736L, 215857550229364737L,
				215857550229364739L, Long.MAX_VALUE - 1, Long.MAX_VALUE));
		List<String> expected = ids.stream().map(String::valueOf).toList();
		Collections.shuffle(ids, new Random(1));
		ids.forEach((id) -> assertThat(add(Long.toString(id)).status()).isEqualTo(201));
		awaitTotal(ids.size());
		assertThat(ids("?limit=1000")).isEqualTo(expected);
		for (String id : expected) {
			assertThat(find(id).text("msgId")).isEqualTo(id);
		}
	}

	@Test
	void pagesContainTheLimitWithoutRepeatsOrGaps() {
		List<Long> ids = new ArrayList<>(LongStream.range(0, 105).mapToObj((i) -> 215857550229364736L + i).toList());
		List<String> expected = ids.stream().map(String::valueOf).toList();
		Collections.shuffle(ids, new Random(2));
		ids.parallelStream().forEach((id) -> assertThat(add(Long.toString(id)).status()).isEqualTo(201));
		awaitTotal(105);
		List<String> walked = new ArrayList<>();
		String after = "";
		for (int page = 0; page < 11; page++) {
			List<String> messages = ids(after);
			assertThat(messages).hasSize((page < 10) ? 10 : 5);
			walked.addAll(messages);
			after = "?after=" + messages.get(messages.size() - 1);
		}
		assertThat(walked).isEqualTo(expected);
		assertThat(ids(after)).isEmpty();
		assertThat(ids("?limit=1&after=215857550229364737")).containsExactly("215857550229364738");
		assertThat(ids("?after=&limit=3")).isEqualTo(expected.subList(0, 3));
		// also after an id that does not exist
		assertThat(ids("?limit=1&after=-5")).containsExactly("215857550229364736");
	}

	@Test
	void messagesOfAUserAreDeliveredSequentially() {
		DelayQueueAdmin admin = sample.bean(DelayQueueAdmin.class);
		admin.pause(Timeline.QUEUE);
		for (int i = 0; i < 100; i++) {
			add(Integer.toString(i));
		}
		admin.resume(Timeline.QUEUE);
		awaitTotal(100);
		List<Instant> times = StreamSupport.stream(page("?limit=100").body().get("messages").spliterator(), false)
			.map((message) -> Instant.parse(message.get("deliveredAt").asString()))
			.toList();
		assertThat(times).isSorted();
	}

	@Test
	void messagesAreRemovedAfterFifteenDays() {
		for (int i = 0; i < 5; i++) {
			add(Integer.toString(i));
		}
		awaitTotal(5);
		age("1", Duration.ofDays(15).plusSeconds(1));
		age("2", Duration.ofDays(15).minusMinutes(1));
		age("3", Duration.ofDays(20));
		assertThat(ids("")).containsExactly("0", "2", "4");
		assertThat(find("1").status()).isEqualTo(404);
		assertThat(find("2").status()).isEqualTo(200);
		for (String key : List.of("ids", "times")) {
			assertThat(sample.redis().call("ZCARD", "sample:{timeline:" + this.user + "}:" + key)).isEqualTo(3L);
			assertThat((Long) sample.redis().call("TTL", "sample:{timeline:" + this.user + "}:" + key))
				.isBetween(Duration.ofDays(14).toSeconds(), Duration.ofDays(15).toSeconds());
		}
	}

	@Test
	void aUserWithoutMessagesHasAnEmptyTimeline() {
		assertThat(page("").status()).isEqualTo(200);
		assertThat(page("").body().get("messages").isEmpty()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "9223372036854775808", "-9223372036854775809", "1.0", "1e3", "true", "null", "{}", "[1]",
			"\"\"", "\"1.0\"", "\"+1\"", "\" 1\"", "\"0x1\"", "\"9223372036854775808\"",
			"\"99999999999999999999999999\"", "\"\\u0661\"" })
	void rejectsIdsThatAreNotLongs(String msgId) {
		assertInvalid(add(msgId), "msgId");
	}

	@Test
	void rejectsMissingAndInvalidFields() {
		assertInvalid(sample.client().post("/timeline", "{\"user\":\"" + this.user + "\"}"), "msgId");
		assertInvalid(sample.client().post("/timeline", "{\"msgId\":1}"), "user");
		assertInvalid(sample.client().post("/timeline", body("a b", "1")), "user");
		assertInvalid(page("?limit=0"), "limit");
		assertInvalid(page("?limit=1001"), "limit");
		assertInvalid(page("?after=x"), "after");
		assertInvalid(find("x"), "msgId");
	}

	private Answer add(String msgId) {
		return sample.client().post("/timeline", body(this.user, msgId));
	}

	private static String body(String user, String msgId) {
		return "{\"user\":\"%s\",\"msgId\":%s,\"more\":[]}".formatted(user, msgId);
	}

	private Answer find(String msgId) {
		return sample.client().get("/timeline/" + this.user + "/" + msgId);
	}

	private Answer page(String query) {
		return sample.client().get("/timeline/" + this.user + query);
	}

	private List<String> ids(String query) {
		return StreamSupport.stream(page(query).body().get("messages").spliterator(), false)
			.map((JsonNode message) -> message.get("msgId").asString())
			.toList();
	}

	private void awaitTotal(int total) {
		await().until(() -> ids("?limit=1000").size() == total);
	}

	private void age(String msgId, Duration by) {
		String time = Long.toString(Instant.now().minus(by).toEpochMilli());
		sample.redis()
			.call("ZADD", "sample:{timeline:" + this.user + "}:times", time, SortableId.of(Long.parseLong(msgId)));
	}

	private static void assertDuplicate(Answer answer) {
		assertThat(answer.status()).isEqualTo(409);
		assertThat(answer.text("type")).endsWith(":duplicate-message");
	}

	private static void assertInvalid(Answer answer, String field) {
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.text("type")).endsWith(":invalid-request");
		assertThat(answer.text("field")).isEqualTo(field);
	}

}
