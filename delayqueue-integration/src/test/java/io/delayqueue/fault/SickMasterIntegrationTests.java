package io.delayqueue.fault;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger.Run;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One of three masters hangs or is dead for longer than the timeouts: messages and
 * recurring schedules of the partitions on the other masters stay on time.
 */
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class SickMasterIntegrationTests {

	private static final int PARTITIONS = 12;

	private static final int MESSAGES = 400;

	/** A member finds a message without a hint when its turn begins. */
	private static final Duration LATE = Duration.ofMillis(1200);

	private RedisCluster cluster;

	private TestApplication applications;

	private List<ConfigurableApplicationContext> members;

	private DelayQueueOperations queue;

	String driver() {
		return "jedis";
	}

	@BeforeAll
	void startCluster() {
		this.cluster = RedisCluster.builder()
			.replicas(0)
			.nodeTimeout(Duration.ofMinutes(2))
			.setting("cluster-require-full-coverage", "no")
			.start();
	}

	@AfterAll
	void stopCluster() {
		this.cluster.close();
	}

	@BeforeEach
	void startMembers() {
		this.applications = new TestApplication(URI.create("redis://unused")).without("spring.data.redis.url")
			.with("spring.data.redis.cluster.nodes=" + String.join(",", this.cluster.addresses()))
			.with("spring.data.redis.client-type=" + driver())
			.with("spring.data.redis.timeout=2s")
			.with("delayqueue.defaults.partitions=" + PARTITIONS);
		this.members = List.of(this.applications.start(Worker.class), this.applications.start(Worker.class));
		this.queue = this.applications.producer();
		IntStream.range(0, PARTITIONS).forEach((partition) -> schedule(groupOf(partition), 0));
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> runs("-").size() == PARTITIONS);
	}

	@AfterEach
	void stopMembers() {
		this.cluster.nodes().stream().filter(RedisServer::isFrozen).forEach(RedisServer::resume);
		this.cluster.nodes().stream().filter((node) -> !node.isRunning()).forEach(RedisServer::restart);
		this.cluster.awaitHealthy(FaultHarness.LONG_ENOUGH);
		this.applications.close();
	}

	@Test
	@DisplayName("row 81: a master with the list of members hangs")
	void masterOfTheMembersHangs() {
		othersStayOnTime(this.cluster.masterOf(members()), RedisServer::freeze);
	}

	@Test
	@DisplayName("row 81: a master without the list of members hangs")
	void masterOfPartitionsHangs() {
		othersStayOnTime(other(), RedisServer::freeze);
	}

	@Test
	@DisplayName("row 81: a master is killed, and no replica takes over")
	void killedMasterIsNotReplaced() {
		othersStayOnTime(other(), RedisServer::kill);
	}

	@Test
	@DisplayName("row 81: a master with the subscription of a process hangs")
	void subscriptionMovesToAnotherMaster() {
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> subscriptions(this.cluster.masters()) == 2);
		RedisServer sick = this.cluster.masters()
			.stream()
			.filter((master) -> subscriptions(List.of(master)) > 0)
			.findFirst()
			.orElseThrow();
		List<RedisServer> others = this.cluster.masters().stream().filter((master) -> master != sick).toList();

		sick.freeze();

		// Less than a minute, after which a silent subscription ends by itself
		Awaitility.await().atMost(Duration.ofSeconds(50)).until(() -> subscriptions(others) == 2);
	}

	/** The number of members whose subscription is on one of the masters. */
	private int subscriptions(List<RedisServer> masters) {
		return masters.stream()
			.mapToInt((master) -> ((List<?>) master.call("PUBSUB", "CHANNELS", this.applications.prefix() + ":hints:*"))
				.size())
			.sum();
	}

	private String members() {
		return this.applications.prefix() + ":{members}:members";
	}

	private RedisServer other() {
		RedisServer master = this.cluster.masterOf(members());
		return this.cluster.masters().stream().filter((node) -> node != master).findFirst().orElseThrow();
	}

	private void othersStayOnTime(RedisServer sick, Consumer<RedisServer> fault) {
		List<String> healthy = IntStream.range(0, PARTITIONS)
			.filter((partition) -> this.cluster
				.masterOf(this.applications.prefix() + ":{" + Worker.QUEUE + ":" + partition + "}:messages") != sick)
			.mapToObj(SickMasterIntegrationTests::groupOf)
			.toList();
		RecurringOperations recurring = this.members.get(0).getBean(RecurringOperations.class);
		healthy.forEach((group) -> recurring.createOrReplace(RecurringSchedule.to(Worker.QUEUE, "of-" + group)
			.group(group)
			.payload("recurring")
			.every(Duration.ofSeconds(1))));
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> runs("@").size() >= 2 * healthy.size());

		int before = runs("-").size();
		int recurrences = runs("@").size();
		fault.accept(sick);
		healthy.forEach(this::storeUnchecked);
		for (int i = 0; i < MESSAGES; i++) {
			schedule(healthy.get(i % healthy.size()), i % 2 * 1500);
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(25));
		}
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> runs("-").size() == before + MESSAGES);

		assertOnTime(runs("-").subList(before, before + MESSAGES));
		assertOnTime(runs("@").subList(recurrences, runs("@").size()));
	}

	private void schedule(String group, long delayMillis) {
		this.queue
			.schedule(ScheduleRequest.to(Worker.QUEUE).group(group).payload("p").delay(Duration.ofMillis(delayMillis)));
	}

	/**
	 * Stores a recurring schedule as a process that was killed before it has asked the
	 * other partitions for older definitions.
	 */
	private void storeUnchecked(String group) {
		DelayQueueEngine engine = this.members.get(0).getBean(DelayQueueEngine.class);
		QueueSettings settings = engine.queues().settings(Worker.QUEUE);
		RecurringSchedule schedule = RecurringSchedule.to(Worker.QUEUE, "unchecked").payload("p").every(LATE);
		byte[] envelope = new Envelope(CallToken.next(), group, Map.of(), "p".getBytes(StandardCharsets.UTF_8))
			.toBytes();
		long now = System.currentTimeMillis();
		NewDefinition definition = new NewDefinition("unchecked-" + group, CallToken.next(), now * 1000, now * 1000,
				group, new RecurringFields(schedule.recurrence(), schedule.missed(), schedule.overlap(), "", null),
				Arrays.copyOfRange(envelope, CallToken.LENGTH, envelope.length));
		new RecurringCalls(engine.calls()).put(new Partition(Worker.QUEUE, Partitioner.of("", group, PARTITIONS)),
				engine.directory().cached(settings), settings, definition, Instant.ofEpochMilli(now + 10), false, true);
	}

	/** A group whose messages are in a partition. */
	private static String groupOf(int partition) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> "g" + i)
			.filter((group) -> Partitioner.of("", group, PARTITIONS) == partition)
			.findFirst()
			.orElseThrow();
	}

	/** The handled messages, in the order of their due times. */
	private List<Run> runs(String kind) {
		return this.members.stream()
			.flatMap((member) -> member.getBean(Worker.class).ledger.runs().stream())
			.filter((run) -> run.id().contains("@") == kind.equals("@"))
			.sorted((one, other) -> one.at().compareTo(other.at()))
			.toList();
	}

	private static void assertOnTime(List<Run> runs) {
		List<Duration> late = new ArrayList<>();
		Stream<Duration> sorted = runs.stream().map(Run::lateness).sorted();
		sorted.forEach(late::add);
		assertThat(late).as("99 % of the messages: " + late).hasSizeGreaterThan(20);
		assertThat(late.get(late.size() * 99 / 100)).as("99 % of the messages: " + late).isLessThan(LATE);
		assertThat(late.get(late.size() / 2)).as("half of the messages: " + late).isLessThan(LATE.dividedBy(6));
	}

}
