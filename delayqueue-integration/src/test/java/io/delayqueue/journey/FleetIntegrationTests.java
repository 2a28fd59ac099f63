package io.delayqueue.journey;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Listeners;
import io.delayqueue.journey.fixture.Listeners.Order;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.queue.Partition;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Several processes consume a queue: which process works, and the cost of its calls.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class FleetIntegrationTests {

	/** The number of queues of {@link Listeners}, each with one partition. */
	private static final int QUEUES = 7;

	private static final Partition ORDERS = new Partition("orders", 0);

	private RedisServer redis;

	private TestApplication applications;

	private final List<ConfigurableApplicationContext> members = new ArrayList<>();

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.applications = new TestApplication(this.redis.uri());
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.redis.close();
	}

	@Test
	void membersAgreeOnOneOwnerAndNoticeEachJoinAndLeave() {
		start(3);

		assertThat(this.members.stream().filter((member) -> fleet(member).isOwner(ORDERS))).hasSize(1);
		this.members.remove(2).close();

		awaitMembers(2);
		assertThat(this.members.stream().filter((member) -> fleet(member).isOwner(ORDERS))).hasSize(1);
	}

	@Test
	void aMessageCostsAScheduleASweepAndAnAcknowledgementWhateverTheNumberOfMembers() {
		start(4);
		DelayQueueOperations producer = this.applications.producer();
		try (CommandLog log = CommandLog.of(this.redis)) {
			Instant first = Instant.now().plusSeconds(2);
			for (int i = 0; i < 400; i++) {
				producer
					.schedule(ScheduleRequest.to("orders").payload(new Order("o", i)).dueAt(first.plusMillis(10L * i)));
			}
			Awaitility.await().until(() -> handled().values().stream().mapToInt(Integer::intValue).sum() == 400);

			assertThat(scripts(log, "sweep") + scripts(log, "read")).as("sweeps and reads").isBetween(1L, 500L);
			assertThat(scripts(log, "acknowledge")).as("acknowledgements").isLessThanOrEqualTo(400);
			assertThat(handled().values()).as("each member works").allMatch((count) -> count > 0);
			// Only a renewal that meets a handler checks whether its message is cancelled
			assertThat(log.count("HMGET")).as("checks for cancellations").isLessThanOrEqualTo(4);
			assertThat(log.commands().stream().filter((command) -> command.arguments().contains("cancelled")))
				.as("hints of cancellations")
				.isEmpty();
		}
	}

	@Test
	void aBurstUsesThePermitsOfAllMembers() {
		start(3);
		Instant due = Instant.now().plusSeconds(1);
		this.applications.producer()
			.scheduleAll(IntStream.range(0, 3000)
				.mapToObj((i) -> ScheduleRequest.to("orders").payload(new Order("o", i)).dueAt(due))
				.toList());

		Awaitility.await().until(() -> handled().values().stream().mapToInt(Integer::intValue).sum() == 3000);
		assertThat(handled().values()).allMatch((count) -> count > 0);
	}

	@Test
	void idleMembersDoNotCheckWhatAnotherOneChecks() {
		start(4);
		try (CommandLog log = CommandLog.of(this.redis)) {
			Awaitility.await().until(() -> scripts(log, "refresh-member") >= 24);

			// Each member has refreshed itself 6 times, about every second turn: so there
			// were
			// about 12 turns. In each turn one member checks a partition; the owner of
			// the partition may check it, too. A check by each member would take 4 times
			// as many calls
			assertThat(scripts(log, "peek-partitions")).isLessThanOrEqualTo(3 * 24);
			assertThat(checkedPartitions(log)).isLessThanOrEqualTo(QUEUES * 19);
			assertThat(scripts(log, "sweep") + scripts(log, "read") + log.count("XPENDING"))
				.isLessThanOrEqualTo(2 * 24);
		}
	}

	private void start(int count) {
		for (int i = 0; i < count; i++) {
			this.members.add(this.applications.start(Listeners.Configured.class));
		}
		awaitMembers(count);
	}

	private void awaitMembers(int count) {
		Awaitility.await()
			.until(() -> this.members.stream().allMatch((member) -> fleet(member).roster().members().size() == count));
	}

	private static Fleet fleet(ConfigurableApplicationContext member) {
		return member.getBean(DelayQueueEngine.class).fleet();
	}

	/** How many messages each member has handled. */
	private Map<ConfigurableApplicationContext, Integer> handled() {
		Map<ConfigurableApplicationContext, Integer> counts = new HashMap<>();
		this.members.forEach((member) -> {
			Handled handled = member.getBean(Listeners.class).handled;
			counts.put(member, handled.runs().size());
		});
		return counts;
	}

	/** A call has five keys and the layout; of each further partition five keys. */
	private static long checkedPartitions(CommandLog log) {
		String digest = Scripts.digest("peek-partitions");
		return log.commands()
			.stream()
			.filter((command) -> command.arguments().contains(digest))
			.mapToLong((command) -> (command.arguments().size() - 3) / 5)
			.sum();
	}

	private static long scripts(CommandLog log, String script) {
		String digest = Scripts.digest(script);
		return log.commands().stream().filter((command) -> command.arguments().contains(digest)).count();
	}

}
