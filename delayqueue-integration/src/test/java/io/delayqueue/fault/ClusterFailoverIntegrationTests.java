package io.delayqueue.fault;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.journey.fixture.Listeners.Order;
import io.delayqueue.journey.fixture.OneListener;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.store.Partitioner;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.Replication;
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
 * Three masters and three replicas whose slots move while messages are scheduled and
 * handled all the time.
 */
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class ClusterFailoverIntegrationTests {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final Duration NODE_TIMEOUT = Duration.ofSeconds(2);

	/** Failures that the handler causes on purpose. */
	private final AtomicInteger failures = new AtomicInteger();

	private RedisCluster cluster;

	private FaultHarness harness;

	String driver() {
		return "jedis";
	}

	@BeforeAll
	void startCluster() {
		this.cluster = RedisCluster.builder()
			.nodeTimeout(NODE_TIMEOUT)
			.setting("cluster-require-full-coverage", "no")
			.start();
	}

	@AfterAll
	void stopCluster() {
		this.cluster.close();
	}

	@BeforeEach
	void newTrial() {
		this.failures.set(0);
		this.cluster.nodes().forEach((node) -> node.call("CONFIG", "RESETSTAT"));
		// No call must end while a slot has no master
		this.harness = new FaultHarness(URI.create("redis://unused"), "delayqueue.defaults.visibility-timeout=6s",
				"delayqueue.schedule.deadline=15s", "delayqueue.defaults.done-window-of-generated-ids=30s",
				"spring.data.redis.client-type=" + driver(), "spring.data.redis.lettuce.cluster.refresh.adaptive=true",
				"spring.data.redis.lettuce.cluster.refresh.period=1s")
			.onCluster(this.cluster.addresses());
	}

	@AfterEach
	void completeChange() {
		this.harness.close();
		this.cluster.nodes().stream().filter((node) -> !node.isRunning()).forEach(RedisServer::restart);
		this.cluster.awaitInSync(LIMIT);
	}

	@Test
	@DisplayName("row 40: a manual failover to a replica loses nothing")
	void manualFailoverLosesNothing() {
		this.harness.startWarm();
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);

		Instant began = Instant.now();
		this.cluster.failOver(this.cluster.replicasOf(this.harness.key("messages")).get(0), LIMIT);

		handleAnother(100);
		load.close();
		assertNothingIsLost("row 40, master gives way", began);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@Test
	@DisplayName("row 40: the partitions of a killed master work again within 3 s after its replica took over")
	void killedMasterIsReplaced() {
		this.harness.startWarm();
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);

		Kill kill = killMaster(load);

		handleAnother(100);
		load.close();
		assertNothingIsLost("row 40, master killed, replaced after " + kill.outage().toMillis() + " ms", kill.at());
	}

	@Test
	@DisplayName("row 41: moving a slot under load is invisible to callers")
	void movingASlotUnderLoadIsInvisibleToCallers() {
		moveUnderLoad(1);
	}

	@Test
	@DisplayName("row 41: moving a slot repeatedly under load is invisible to callers")
	void movingASlotRepeatedlyIsInvisibleToCallers() {
		moveUnderLoad(8);
	}

	private void moveUnderLoad(int times) {
		this.harness.startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() == 1 && message.payload().endsWith("7")) {
				this.failures.incrementAndGet();
				throw new IllegalStateException("again");
			}
		};
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);
		int slot = this.cluster.slotOf(this.harness.key("messages"));

		Instant began = Instant.now();
		int keys = 0;
		for (int i = 0; i < times; i++) {
			RedisServer owner = this.cluster.masterOf(this.harness.key("messages"));
			List<RedisServer> targets = this.cluster.masters().stream().filter((node) -> node != owner).toList();
			RedisServer target = targets.get(i % targets.size());
			// The target does not have the scripts in its cache
			target.call("SCRIPT", "FLUSH");
			keys += this.cluster.moveSlot(slot, target, Duration.ofMillis(150));
			handleAnother(50);
		}

		load.close();
		assertThat(keys).isGreaterThanOrEqualTo(4 * times);
		assertThat(this.cluster.masters()).as("nodes that had to refuse")
			.anyMatch((node) -> errors(node).contains("errorstat_TRYAGAIN"))
			.anyMatch((node) -> errors(node).contains("errorstat_NOSCRIPT"));
		assertNothingIsLost("row 41, slot moved " + times + " times with " + keys + " keys", began);
		assertThat(this.harness.ledger().doubled()).as("run again").isEqualTo(this.failures.get()).isPositive();
	}

	private static String errors(RedisServer node) {
		return String.valueOf(node.call("INFO", "errorstats"));
	}

	@Test
	@DisplayName("row 41: removing a node after its slots have moved loses nothing")
	void removingANodeLosesNothing() {
		this.harness.with("delayqueue.defaults.partitions=12").startWarm();
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);
		RedisServer leaving = this.cluster.masterOf(partitionKey(0));
		RedisServer replica = this.cluster.replicasOf(partitionKey(0)).get(0);
		List<RedisServer> staying = this.cluster.masters().stream().filter((node) -> node != leaving).toList();

		Instant began = Instant.now();
		keysOfAllSlots().filter((key) -> this.cluster.masterOf(key) == leaving)
			.forEach((key) -> this.cluster.moveSlot(this.cluster.slotOf(key), staying.get(0), Duration.ofMillis(20)));
		handleAnother(100);
		replica.kill();
		leaving.kill();

		handleAnother(300);
		load.close();
		this.harness.ledger().awaitAccepted();
		this.harness.ledger().report("row 41, node left, " + driver(), began);
		this.harness.ledger().assertTrue();
		assertThat(this.harness.ledger().refused()).isEmpty();
		assertThat(this.harness.ledger().unknown()).isEmpty();
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	/** One key of each slot that the application uses. */
	private Stream<String> keysOfAllSlots() {
		return Stream.concat(Stream.of(this.harness.application().prefix() + ":queues"),
				IntStream.range(0, 12)
					.boxed()
					.flatMap((partition) -> Stream.of(Worker.QUEUE, Worker.OTHER_QUEUE)
						.map((queue) -> this.harness.application().prefix() + ":{" + queue + ":" + partition + "}:x")));
	}

	@Test
	@DisplayName("row 40: a killed master affects its partitions only, and those until it is replaced")
	void killedMasterAffectsItsPartitionsOnly() {
		this.harness.with("delayqueue.defaults.partitions=12").startWarm();
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);
		RedisServer master = this.cluster.masterOf(this.harness.key("messages"));

		Instant killed = Instant.now();
		load.betweenCalls(() -> {
			Replication.awaitCopied(master, this.cluster.replicasOf(this.harness.key("messages")).get(0), LIMIT);
			master.kill();
		});
		List<ScheduleAnswer> answers = this.harness.queue().scheduleAll(bulk());

		handleAnother(100);
		load.close();
		assertThat(answers).extracting(ScheduleAnswer::id)
			.containsExactlyElementsOf(bulk().stream().map((request) -> request.id().orElseThrow()).toList());
		assertThat(answers).allMatch(ScheduleAnswer::isAccepted);
		Ledger ledger = this.harness.ledger();
		ledger.entered(bulk(), answers);
		ledger.awaitAccepted();
		ledger.report("row 40, master of a third killed, " + driver(), killed);
		assertThat(this.cluster.masterOf(this.harness.key("messages"))).isNotSameAs(master);
		assertThat(ledger.refused()).isEmpty();
		assertThat(ledger.unknown()).isEmpty();
		ledger.assertTrue();
		assertThat(ledger.doubled()).isLessThanOrEqualTo(10);
		// Messages of the other nodes were handled before there was a new master
		assertThat(ledger.runs().stream().filter((run) -> run.name().startsWith("bulk-")))
			.filteredOn((run) -> run.lateness().compareTo(NODE_TIMEOUT) < 0)
			.hasSizeGreaterThan(100);
	}

	@Test
	@DisplayName("row 68: members go on with the list that they have seen while its master and replica are away")
	void membersGoOnWhileTheirListIsAway() {
		try (TestApplication applications = new TestApplication(URI.create("redis://unused"))) {
			applications.without("spring.data.redis.url")
				.with("spring.data.redis.cluster.nodes=" + String.join(",", this.cluster.addresses()))
				.with("spring.data.redis.client-type=" + driver())
				// The timeout that the documents advise: with that of Lettuce, a minute,
				// the members would read the list a minute after its master is back
				.with("spring.data.redis.timeout=2s")
				.with("delayqueue.defaults.partitions=12");
			List<ConfigurableApplicationContext> members = List.of(applications.start(OneListener.class),
					applications.start(OneListener.class));
			awaitMembers(members);
			String list = applications.prefix() + ":{members}:members";
			RedisServer master = this.cluster.masterOf(list);
			List<String> elsewhere = IntStream.range(0, 100)
				.mapToObj((i) -> "elsewhere-" + i)
				.filter((id) -> this.cluster.masterOf(
						applications.prefix() + ":{orders:" + Partitioner.of(id, null, 12) + "}:messages") != master)
				.toList();
			// Each partition has been used before
			handle(members, elsewhere.subList(0, elsewhere.size() / 2));

			RedisServer replica = this.cluster.replicasOf(list).get(0);
			replica.kill();
			master.kill();
			handle(members, elsewhere.subList(elsewhere.size() / 2, elsewhere.size()));

			master.restart();
			replica.restart();
			awaitMembers(members);
			Awaitility.await()
				.atMost(LIMIT)
				.ignoreExceptions()
				.until(() -> this.cluster.masterOf(list).call("ZCARD", list), (listed) -> listed.equals(2L));
			handle(members, List.of("after", "after-too"));
		}
	}

	private static void handle(List<ConfigurableApplicationContext> members, List<String> ids) {
		DelayQueueOperations queue = members.get(0).getBean(DelayQueueOperations.class);
		ids.forEach((id) -> queue
			.schedule(ScheduleRequest.to("orders").payload(new Order("o", 1)).id(id).delay(Duration.ofMillis(200))));
		Awaitility.await()
			.atMost(LIMIT)
			.until(() -> members.stream()
				.flatMap((member) -> member.getBean(OneListener.class).handled.ids().stream())
				.toList()
				.containsAll(ids));
	}

	private static void awaitMembers(List<ConfigurableApplicationContext> members) {
		Awaitility.await()
			.atMost(LIMIT)
			.until(() -> members.stream()
				.allMatch((member) -> member.getBean(DelayQueueEngine.class).fleet().roster().members().size() == 2));
	}

	private static List<ScheduleRequest> bulk() {
		return IntStream.range(0, 240)
			.mapToObj((i) -> ScheduleRequest.to(Worker.QUEUE).payload("bulk-" + i).id("bulk-" + i).delay(Duration.ZERO))
			.toList();
	}

	private String partitionKey(int partition) {
		return this.harness.application().prefix() + ":{" + Worker.QUEUE + ":" + partition + "}:messages";
	}

	/**
	 * The end of a master.
	 *
	 * @param at when it was killed
	 * @param replacedAt when its replica took over
	 */
	private record Kill(Instant at, Instant replacedAt) {

		Duration outage() {
			return Duration.between(this.at, this.replacedAt);
		}

	}

	/**
	 * Kills between two calls, when the replica has the data of the last call, so that
	 * the kill does not affect accepted messages. Consumers run until the end.
	 */
	private Kill killMaster(Load load) {
		RedisServer master = this.cluster.masterOf(this.harness.key("messages"));
		RedisServer replica = this.cluster.replicasOf(this.harness.key("messages")).get(0);
		List<Instant> killed = new ArrayList<>();
		load.betweenCalls(() -> {
			Replication.awaitCopied(master, replica, LIMIT);
			master.kill();
			killed.add(Instant.now());
		});
		Awaitility.await()
			.atMost(LIMIT)
			.pollInterval(Duration.ofMillis(20))
			.ignoreExceptions()
			.until(() -> this.cluster.masterOf(this.harness.key("messages")) == replica);
		return new Kill(killed.get(0), Instant.now());
	}

	private void handleAnother(int messages) {
		this.harness.ledger().await(this.harness.ledger().runs().size() + messages);
	}

	private void assertNothingIsLost(String what, Instant faultAt) {
		this.harness.ledger().awaitAccepted();
		Ledger ledger = this.harness.ledger();
		ledger.report(what + ", on purpose doubled " + this.failures + ", " + driver(), faultAt);
		this.harness.assertAllIsWell(this.cluster.masterOf(this.harness.key("messages")));
		assertThat(ledger.refused()).isEmpty();
		assertThat(ledger.unknown()).isEmpty();
		// A message that was settled with the old master alone is handled once more
		assertThat(ledger.doubled() - this.failures.get()).isLessThanOrEqualTo(10);
	}

}
