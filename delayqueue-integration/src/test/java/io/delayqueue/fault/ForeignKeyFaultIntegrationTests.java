package io.delayqueue.fault;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.fault.fixture.OwnRedis;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.lifecycle.TaskStatus;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that refuses calls for one partition, mostly because a key of another program
 * has the name of a key of the library.
 */
@Tag("slow")
class ForeignKeyFaultIntegrationTests {

	@RegisterExtension
	final OwnRedis own = new OwnRedis("delayqueue.defaults.visibility-timeout=3s");

	private final RedisServer redis = this.own.redis();

	private final FaultHarness harness = this.own.harness();

	@Test
	@DisplayName("row 34: a partition with a key of another program stops until the key is removed, and reports why")
	void partitionWithAKeyOfAnotherProgramStopsAndOtherPartitionsRun() {
		takeTheKeys("scheduled", "entries");
	}

	@Test
	@DisplayName("row 34: the same for every other key")
	void everyKeyOfAnotherProgramStopsItsPartition() {
		takeTheKeys("ready", "done", "messages", "failures", "dead", "control");
	}

	private void takeTheKeys(String... names) {
		this.harness.startWarm();
		Load load = this.harness.load("other", this.harness.worker().other, 50);
		for (String name : names) {
			String key = this.harness.key(name);
			this.redis.call("DEL", key);
			this.redis.call("SET", key, "of another program");

			// A call with a generated id does not read every key
			this.harness.scheduleChosen("refused-" + name, Duration.ZERO);

			assertThat(this.harness.ledger().refused().get("refused-" + name)).as(name)
				.isInstanceOf(RedisRefusedException.class)
				.hasMessageContaining(key)
				.hasMessageContaining("string");
			assertThat(this.redis.call("EXISTS", this.harness.key("messages"))).as("records")
				.isEqualTo(name.equals("messages") ? 1L : 0L);
			// An idle partition is checked as a whole once a minute
			this.harness.awaitFailing(Signals.LONGEST_QUIET.plus(FaultHarness.LONG_ENOUGH), key);
			assertThat(this.harness.failing()).extracting(TaskStatus::name)
				.noneMatch((activity) -> activity.contains("other"));
			this.harness.worker().other.await(this.harness.worker().other.runs().size() + 20);
			assertThat(this.redis.call("GET", key)).isEqualTo("of another program");

			this.redis.call("DEL", key);
			this.harness.schedule("healed-" + name, Duration.ZERO);
			this.harness.assertAllIsWell(this.redis);
		}
		load.close();
		this.harness.worker().other.awaitAccepted();
		this.harness.worker().other.assertTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "failures", "entries" })
	@DisplayName("row 34: pending messages are kept while a key of another program blocks their settlement")
	void pendingMessagesAreKeptWhileAForeignKeyBlocksThem(String name) {
		this.harness.startWarm();
		this.harness.scheduleAll("m", 20, Duration.ofMillis(500));
		this.redis.call("DEL", this.harness.key(name));
		this.redis.call("SET", this.harness.key(name), "of another program");
		this.harness.awaitFailing(this.harness.key(name));

		this.redis.call("DEL", this.harness.key(name));

		this.harness.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 34: while Redis refuses the dead letters of a partition all handled messages are acknowledged")
	void refusedDeadLettersDelayNoAcknowledgement() {
		this.harness
			.with("delayqueue.defaults.concurrency=2", "delayqueue.defaults.max-attempts=1",
					"delayqueue.queues.work.partitions=2")
			.startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.payload().equals("fail")) {
				throw new IllegalStateException("for the last time");
			}
		};
		// The calls initialise both partitions
		schedule(20).forEach((id) -> this.harness.awaitGone(Worker.QUEUE, id));
		this.redis.call("SET", this.harness.key("dead"), "of another program");
		List<ScheduleRequest> failing = IntStream.range(0, 20)
			.mapToObj((i) -> ScheduleRequest.to(Worker.QUEUE).payload("fail").delay(Duration.ZERO))
			.toList();
		this.harness.queue().scheduleAll(failing);
		this.harness.awaitFailing(this.harness.key("dead"));
		List<String> good = schedule(30);
		assertThat(good).as("in the other partition").anyMatch((id) -> GeneratedIds.partitionOf(id) == 1);
		good.stream()
			.filter((id) -> GeneratedIds.partitionOf(id) == 1)
			.forEach((id) -> this.harness.awaitGone(Worker.QUEUE, id));

		this.redis.call("DEL", this.harness.key("dead"));
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> (Long) this.redis.call("ZCARD", this.harness.key("dead"))
					+ (Long) this.redis.call("ZCARD", this.harness.key("dead").replace(":0}", ":1}")) == 20);
	}

	@Test
	@DisplayName("row 34: while Redis refuses a dead letter the successes of its partition are acknowledged")
	void refusedDeadLetterDelaysNoAcknowledgementOfItsPartition() {
		this.harness.with("delayqueue.defaults.concurrency=2", "delayqueue.defaults.max-attempts=1").startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.payload().equals("fail")) {
				throw new IllegalStateException("for the last time");
			}
		};
		this.redis.call("SET", this.harness.key("dead"), "of another program");
		this.harness.queue().schedule(ScheduleRequest.to(Worker.QUEUE).payload("fail").delay(Duration.ZERO));
		this.harness.awaitFailing(this.harness.key("dead"));
		schedule(30).forEach((id) -> this.harness.awaitGone(Worker.QUEUE, id));

		assertThat(this.harness.failing()).extracting(TaskStatus::name)
			.anyMatch((name) -> name.contains("dead_letter"));
		this.redis.call("DEL", this.harness.key("dead"));
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> (Long) this.redis.call("ZCARD", this.harness.key("dead")) == 1);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(() -> assertThat(this.harness.failing()).isEmpty());
	}

	@Test
	@DisplayName("row 34: a read that Redis refuses keeps its permits in flight only until its messages are known")
	void refusedReadGivesBackItsPermits() {
		this.harness.with("delayqueue.queues.work.max-in-flight=2").startWarm();
		this.redis.call("ACL", "SETUSER", "default", "-xreadgroup");
		this.harness.scheduleAll("m", 20, Duration.ZERO);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> "2".equals(this.redis.call("HGET", this.harness.key("budget"), "in-flight")));

		this.redis.call("ACL", "SETUSER", "default", "+xreadgroup");

		this.harness.assertAllIsWell(this.redis);
	}

	private List<String> schedule(int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> this.harness.queue()
				.schedule(ScheduleRequest.to(Worker.QUEUE).payload("p").delay(Duration.ZERO))
				.id())
			.toList();
	}

}
