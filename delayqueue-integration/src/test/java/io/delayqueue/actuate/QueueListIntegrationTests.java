package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.fixture.CountedQueues;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The list of all queues, its pages and its cost.
 */
@Tag("slow")
class QueueListIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	private WebApplication application;

	private CountedQueues queues;

	@BeforeEach
	void startApplication() {
		this.application = WebApplication.start(SharedRedis.get().uri(), "delayqueue.queues.parted.partitions=3");
		this.queues = new CountedQueues(this.application.bean(DelayQueueOperations.class));
	}

	@AfterEach
	void stopApplication() {
		this.application.close();
	}

	@Test
	void beforeAnythingIsScheduledThereAreNoQueues() {
		Answer answer = this.application.get("/actuator/delayqueue");

		assertThat(answer.status()).isEqualTo(200);
		assertThat(answer.body()).isEqualTo("{\"queues\":[],\"member\":\"" + name() + "\",\"members\":[]}");
	}

	@Test
	void allQueuesAreListedByNameWithTheFixedFields() {
		this.queues.schedule("parted", 20, HOUR);
		this.queues.schedule("alone", 3, HOUR);

		JsonNode body = this.application.get("/actuator/delayqueue").json();

		assertThat(body.propertyNames()).containsExactly("queues", "member", "members");
		assertThat(body.get("queues").values()).extracting((queue) -> queue.get("name").asString())
			.containsExactly("alone", "parted");
		assertThat(body.get("queues").values()).allSatisfy((queue) -> assertThat(queue.propertyNames())
			.containsExactly(CountedQueues.with("name", "members", "throttled")));
		assertThat(body.get("queues").get(0).get("scheduled").asLong()).isEqualTo(3);
		assertThat(body.get("queues").get(1).get("scheduled").asLong()).isEqualTo(20);
	}

	@Test
	void manyQueuesAreListedInPages() {
		for (String queue : List.of("c", "a", "d", "b", "e")) {
			this.queues.schedule(queue, 1, HOUR);
		}
		JsonNode first = this.application.get("/actuator/delayqueue?limit=2").json();
		assertThat(first.propertyNames()).containsExactly("queues", "next", "member", "members");
		assertThat(names(first)).containsExactly("a", "b");
		assertThat(first.get("next").asString()).isEqualTo("c");
		JsonNode second = this.application.get("/actuator/delayqueue?limit=2&from=c").json();
		assertThat(names(second)).containsExactly("c", "d");
		JsonNode last = this.application.get("/actuator/delayqueue?limit=2&from=" + second.get("next").asString())
			.json();
		assertThat(names(last)).containsExactly("e");
		assertThat(last.has("next")).isFalse();
		assertThat(names(this.application.get("/actuator/delayqueue?from=cc").json())).containsExactly("d", "e");
		assertThat(names(this.application.get("/actuator/delayqueue?from=z").json())).isEmpty();
	}

	@Test
	void aPageOfQueuesEndsAtTheMaximumOfPartitions() {
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("HSET", this.application.prefix() + ":queues", "a", "1000", "b", "24", "c", "1", "d", "1024",
					"e", "1");
		}
		JsonNode first = this.application.get("/actuator/delayqueue").json();
		assertThat(names(first)).containsExactly("a", "b");
		assertThat(first.get("next").asString()).isEqualTo("c");
		assertThat(names(this.application.get("/actuator/delayqueue?from=c").json())).containsExactly("c");
		assertThat(names(this.application.get("/actuator/delayqueue?from=d").json())).containsExactly("d");
		assertThat(names(this.application.get("/actuator/delayqueue?from=e").json())).containsExactly("e");
	}

	@Test
	void aListingCallsRedisOncePerPartitionAndOnceForTheMembersWithoutScans() {
		this.queues.schedule("parted", 9, HOUR);
		this.queues.schedule("alone", 1, HOUR);
		this.application.get("/actuator/delayqueue");
		try (CommandLog log = CommandLog.of(SharedRedis.get().uri())) {
			this.application.get("/actuator/delayqueue");

			assertThat(log.commands())
				.filteredOn((command) -> command.arguments().toString().contains(this.application.prefix()))
				.extracting(CommandLog.Command::name)
				.containsExactly("HGETALL", "HGETALL", "EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA", "EVALSHA");
			assertThat(log.count("SCAN") + log.count("KEYS")).isZero();
		}
	}

	private String name() {
		return this.application.bean(DelayQueueEngine.class).fleet().member();
	}

	private static List<String> names(JsonNode page) {
		return page.get("queues").values().stream().map((queue) -> queue.get("name").asString()).toList();
	}

}
