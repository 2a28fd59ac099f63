package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.fixture.CountedQueues;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The members in the list of queues, the owner and the standby of each partition, and the
 * gauge of owned partitions.
 */
@Tag("slow")
class EndpointMembersIntegrationTests {

	private static final int PARTITIONS = 16;

	private static final String LIST = "/actuator/delayqueue";

	private static final String PARTED = LIST + "/parted";

	private final List<WebApplication> applications = new ArrayList<>();

	private WebApplication producer;

	@BeforeEach
	void startProducer() {
		this.producer = start();
		new CountedQueues(this.producer.bean(DelayQueueOperations.class)).schedule("parted", 1, Duration.ofHours(1));
	}

	@AfterEach
	void stopApplications() {
		this.applications.forEach(WebApplication::close);
	}

	@Test
	void withoutAMemberAPartitionHasNoOwner() {
		assertThat(members(this.producer)).isEmpty();
		assertThat(this.producer.get(PARTED).json().get("members").asInt()).isZero();
		assertThat(partitions(this.producer)).hasSize(PARTITIONS).allSatisfy((partition) -> {
			assertThat(partition.get("owner").isNull()).isTrue();
			assertThat(partition.get("standby").isNull()).isTrue();
		});
	}

	@Test
	void everyProcessShowsTheSameMembersAndOwners() {
		Instant before = Instant.now().minusSeconds(60);
		WebApplication one = start();
		WebApplication two = start();
		one.consume("parted", 1, (delivery) -> null);
		two.consume("parted", 1, (delivery) -> null);
		two.consume("alone", 1, (delivery) -> null);

		await().untilAsserted(() -> {
			for (WebApplication application : this.applications) {
				JsonNode list = application.get(LIST).json();
				assertThat(list.get("member").asString()).isEqualTo(name(application));
				assertThat(members(application)).extracting((member) -> member.get("name").asString())
					.containsExactlyElementsOf(Stream.of(name(one), name(two)).sorted().toList());
				assertThat(queues(application, one)).isEqualTo("[\"parted\"]");
				assertThat(queues(application, two)).isEqualTo("[\"alone\",\"parted\"]");
				assertThat(partitions(application)).isEqualTo(partitions(one)).allSatisfy((partition) -> {
					assertThat(List.of(partition.get("owner").asString(), partition.get("standby").asString()))
						.containsExactlyInAnyOrder(name(one), name(two));
				});
				assertThat(owned(application, one)).isEqualTo(ownedByPartitions(application, one));
				assertThat(owned(application, two)).isEqualTo(ownedByPartitions(application, two) + 1);
			}
			assertThat(gauge(one, "parted")).isEqualTo(owned(this.producer, one));
			assertThat(gauge(two, "parted") + gauge(two, "alone")).isEqualTo(owned(this.producer, two));
		});
		JsonNode parted = this.producer.get(PARTED).json();
		assertThat(parted.get("members").asInt()).isEqualTo(2);
		assertThat(parted.get("memberNames").values()).extracting((name) -> name.asString())
			.containsExactlyElementsOf(Stream.of(name(one), name(two)).sorted().toList());
		assertThat(this.producer.get(LIST).json().get("queues").values())
			.extracting((queue) -> queue.get("name").asString() + " " + queue.get("members").asInt())
			.contains("parted 2");
		assertThat(members(this.producer)).allSatisfy((member) -> {
			assertThat(member.propertyNames()).containsExactly("name", "since", "queues", "partitionsOwned");
			assertThat(Instant.parse(member.get("since").asString())).isAfter(before);
		});
	}

	@Test
	void aMemberThatEndsItsConsumptionOwnsNothing() {
		WebApplication one = start();
		WebApplication two = start();
		QueueConsumer consumer = one.consume("parted", 1, (delivery) -> null);
		two.consume("parted", 1, (delivery) -> null);
		await().until(() -> members(one).size() == 2 && members(two).size() == 2);

		consumer.stop(Duration.ofSeconds(5));

		assertThat(gauge(one, "parted")).isZero();
		await().untilAsserted(() -> assertThat(gauge(two, "parted")).isEqualTo(PARTITIONS));
		for (WebApplication application : this.applications) {
			assertThat(members(application)).hasSize(1);
			assertThat(owned(application, two)).isEqualTo(PARTITIONS);
			assertThat(partitions(application)).allSatisfy((partition) -> {
				assertThat(partition.get("owner").asString()).isEqualTo(name(two));
				assertThat(partition.get("standby").isNull()).isTrue();
			});
		}
	}

	@Test
	void aProcessThatDoesNotSweepShowsTheMembers() {
		WebApplication one = start();
		WebApplication quiet = start("delayqueue.sweeper.enabled=false");
		one.consume("parted", 1, (delivery) -> null);
		quiet.consume("parted", 1, (delivery) -> null);

		await().untilAsserted(() -> {
			assertThat(members(quiet)).extracting((member) -> member.get("name").asString()).containsExactly(name(one));
			assertThat(owned(quiet, one)).isEqualTo(PARTITIONS);
		});
	}

	@Test
	void aListThatCannotBeReadIsEmpty() {
		try (RespClient redis = SharedRedis.get().client()) {
			redis.call("SET", this.producer.prefix() + ":{members}:members", "damaged");
		}

		JsonNode list = this.producer.get(LIST).json();

		assertThat(list.get("queues").size()).isEqualTo(1);
		assertThat(list.get("members").size()).isZero();
		assertThat(list.get("queues").get(0).has("members")).as("unknown").isFalse();
		assertThat(partitions(this.producer)).hasSize(PARTITIONS)
			.allSatisfy((partition) -> assertThat(partition.get("owner").isNull()).isTrue());
	}

	private WebApplication start(String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.add("delayqueue.queues.parted.partitions=" + PARTITIONS);
		if (!this.applications.isEmpty()) {
			all.add("delayqueue.key-prefix=" + this.producer.prefix());
		}
		WebApplication application = WebApplication.start(SharedRedis.get().uri(), all.toArray(String[]::new));
		this.applications.add(application);
		return application;
	}

	private static String name(WebApplication application) {
		return application.bean(DelayQueueEngine.class).fleet().member();
	}

	private static List<JsonNode> members(WebApplication asked) {
		return List.copyOf(asked.get(LIST).json().get("members").values());
	}

	private static JsonNode member(WebApplication asked, WebApplication of) {
		return members(asked).stream()
			.filter((member) -> member.get("name").asString().equals(name(of)))
			.findFirst()
			.orElseThrow();
	}

	private static String queues(WebApplication asked, WebApplication of) {
		return member(asked, of).get("queues").toString();
	}

	private static long owned(WebApplication asked, WebApplication of) {
		return member(asked, of).get("partitionsOwned").asLong();
	}

	private static List<JsonNode> partitions(WebApplication asked) {
		return List.copyOf(asked.get(PARTED).json().get("partitions").values());
	}

	private static long ownedByPartitions(WebApplication asked, WebApplication of) {
		return partitions(asked).stream()
			.filter((partition) -> partition.get("owner").asString().equals(name(of)))
			.count();
	}

	private static long gauge(WebApplication application, String queue) {
		return (long) application.bean(MeterRegistry.class)
			.get("delayqueue.partitions.owned")
			.tag("queue", queue)
			.gauge()
			.value();
	}

}
