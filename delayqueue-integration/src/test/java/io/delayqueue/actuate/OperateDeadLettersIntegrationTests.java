package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageState;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.event.DelayQueueOperatedEvent;
import io.delayqueue.event.DelayQueueOperatedEvent.Action;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Operations on several dead letters over HTTP. Each test uses its own queue.
 */
@ExtendWith(OutputCaptureExtension.class)
class OperateDeadLettersIntegrationTests {

	private static final Set<String> NEVER = Set.of("n-1", "n-2");

	private static final List<String> FIVE = List.of("f-1", "n-1", "f-2", "n-2", "f-3");

	@AutoClose
	private static final Operating operating = Operating.start(SharedRedis.get().uri());

	@ParameterizedTest
	@ValueSource(strings = { "redrive", "discard" })
	void aDryRunCountsAndChangesNothing(String action, CapturedOutput output) {
		String queue = "dry-" + action;
		operating.letDie(queue, NEVER, FIVE);
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			assertThat(operating.post(queue, action, "{'dryRun':true}").body())
				.isEqualTo("{\"queue\":\"%s\",\"limit\":100,\"dryRun\":true,\"count\":5}".formatted(queue));
			assertThat(operating.post(queue, action, "{'dryRun':true,'reason':'NEVER_RETRIED'}").body())
				.isEqualTo("{\"queue\":\"%s\",\"reason\":\"NEVER_RETRIED\",\"limit\":100,\"dryRun\":true,\"count\":2}"
					.formatted(queue));
			assertThat(operating.post(queue, action, "{'dryRun':true,'limit':4}").json().get("count").asInt())
				.isEqualTo(4);
			assertThat(operating.post(queue, action, "{'dryRun':true,'reason':'EXPIRED'}").json().get("count").asInt())
				.isZero();
			assertThat(log.commands())
				.filteredOn((command) -> command.arguments().toString().contains("{" + queue + ":"))
				.noneMatch((command) -> Set.of("ZADD", "ZREM", "HSET", "HDEL").contains(command.name().toUpperCase()));
		}
		assertThat(operating.dead(queue)).containsExactlyInAnyOrderElementsOf(FIVE);
		assertThat(operating.operated.of(queue)).isEmpty();
		assertThat(output).doesNotContainPattern("' requested '\\w+' of queue '" + queue);
	}

	@Test
	void deadLettersAreRedrivenByReasonUpToALimit(CapturedOutput output) {
		operating.letDie("redrive", NEVER, FIVE);

		assertThat(operating.post("redrive", "redrive", "{'reason':'HANDLER_FAILED','limit':2}").body()).isEqualTo(
				"{\"queue\":\"redrive\",\"reason\":\"HANDLER_FAILED\",\"limit\":2,\"dryRun\":false,\"count\":2}");
		assertThat(operating.dead("redrive")).hasSize(3).contains("n-1", "n-2");
		assertThat(operating.post("redrive", "redrive", "{'dryRun':false}").json().get("count").asInt()).isEqualTo(3);
		assertThat(operating.dead("redrive")).isEmpty();
		FIVE.forEach((id) -> assertThat(operating.state("redrive", id)).isEqualTo(MessageState.SCHEDULED));
		assertThat(operating.operated.first("redrive")).isEqualTo(new DelayQueueOperatedEvent("redrive", Action.REDRIVE,
				null, null, "anonymous", 2, "2 dead letters were redriven with reason HANDLER_FAILED, of at most 2"));
		assertThat(output).contains("'anonymous' requested 'redrive' of queue 'redrive': 2 dead letters were redriven"
				+ " with reason HANDLER_FAILED, of at most 2");
	}

	@Test
	void deadLettersWithOneIdAreListedWithTheirGroups() {
		List<String> groups = operating.letDieInGroups("parted", "same");

		JsonNode letters = operating.application.get("/actuator/delayqueue/parted/dead-letters")
			.json()
			.get("deadLetters");

		assertThat(letters.values()).extracting((letter) -> letter.get("id").asString()).containsOnly("same");
		assertThat(letters.values()).extracting((letter) -> letter.get("group").asString())
			.containsExactlyInAnyOrderElementsOf(groups);
	}

	@Test
	void redrivenMessagesCanBeSpreadOverTime() {
		operating.letDie("spread", Set.of(), IntStream.range(0, 20).mapToObj((i) -> "s-" + i).toList());
		Instant before = Instant.now();

		assertThat(operating.post("spread", "redrive", "{'within':'1d'}").json().get("count").asInt()).isEqualTo(20);

		List<Instant> next = IntStream.range(0, 20)
			.mapToObj((i) -> operating.delayQueue.find("spread", "s-" + i).orElseThrow().nextAttemptAt())
			.toList();
		assertThat(next).allSatisfy((at) -> assertThat(at).isBetween(before.minusSeconds(60),
				Instant.now().plus(Duration.ofDays(1)).plusSeconds(60)));
		assertThat(next).as("20 of them within an hour of a day")
			.anySatisfy((at) -> assertThat(at).isAfter(before.plus(Duration.ofHours(1))));
	}

	@Test
	void deadLettersOfAllQueuesAreRedrivenByReason(CapturedOutput output) {
		try (Operating all = Operating.start(SharedRedis.get().uri())) {
			all.letDie("one", NEVER, FIVE);
			all.letDie("other", Set.of("n-1"), List.of("n-1"));
			all.letDie("sound", Set.of(), List.of("f-1"));
			assertThat(all.post("*", "redrive", "{'reason':'NEVER_RETRIED','dryRun':true}").body())
				.isEqualTo("{\"queue\":\"*\",\"reason\":\"NEVER_RETRIED\",\"limit\":100,\"dryRun\":true,\"count\":3,"
						+ "\"queues\":{\"one\":2,\"other\":1}}");
			assertThat(output).doesNotContain("' requested 'redrive' of queue 'one'");
			assertThat(all.post("*", "redrive", "{'reason':'NEVER_RETRIED','limit':2}").json().get("queues").toString())
				.isEqualTo("{\"one\":2}");
			assertThat(all.admin.redrive(DeadLetterSelection.ofAllQueues().because("NEVER_RETRIED"))).isEqualTo(1);
			assertThat(all.admin.redrive(DeadLetterSelection.ofAllQueues().atMost(3))).isEqualTo(3);
			assertThat(all.dead("one")).isEmpty();
			assertThat(all.dead("sound")).hasSize(1);
			assertThat(all.operated.of("one")).hasSize(1);
			assertThat(all.operated.of("sound")).isEmpty();
			assertThatExceptionOfType(InvalidMessageException.class)
				.isThrownBy(() -> all.admin.discard(DeadLetterSelection.ofAllQueues()));
			Operating.assertInvalid(all.post("*", "redrive", "{'id':'f-1'}"), "id", "left out");
			Operating.assertProblem(all.post("*", "discard", "{}"), 404, "unknown-queue");
			assertThat(all.dead("sound")).hasSize(1);
		}
	}

	@Test
	void deadLettersAreDiscardedByReasonUpToALimit() {
		operating.letDie("discard", NEVER, FIVE);

		assertThat(operating.post("discard", "discard", "{'reason':'NEVER_RETRIED'}").json().get("count").asInt())
			.isEqualTo(2);
		assertThat(operating.dead("discard")).containsExactlyInAnyOrder("f-1", "f-2", "f-3");
		assertThat(operating.post("discard", "discard", "{'limit':'1'}").json().get("count").asInt()).isEqualTo(1);
		assertThat(operating.dead("discard")).hasSize(2);
		assertThat(operating.operated.first("discard").messages()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "discard", "redrive" })
	void operationsAffectAHundredDeadLettersByDefault(String action) {
		String queue = "many-" + action;
		operating.schedule(queue, "first");
		try (RespClient redis = SharedRedis.get().client()) {
			String key = operating.application.prefix() + ":{" + queue + ":0}:";
			for (int i = 0; i < 250; i++) {
				redis.call("HSET", key + "messages", "id-" + i, "10000000000000001aaaaaaaaaaa\n\"p\"");
				redis.call("ZADD", key + "dead", "1", "id-" + i);
			}
		}
		assertThat(operating.post(queue, action, "{'dryRun':true,'limit':10000}").json().get("count").asInt())
			.isEqualTo(250);
		assertThat(operating.post(queue, action, "{}").json().get("count").asInt()).isEqualTo(100);
		assertThat(operating.dead(queue)).hasSize(150);
		assertThat(operating.post(queue, action, "{'limit':10000}").json().get("count").asInt()).isEqualTo(150);
		assertThat(operating.dead(queue)).isEmpty();
	}

}
