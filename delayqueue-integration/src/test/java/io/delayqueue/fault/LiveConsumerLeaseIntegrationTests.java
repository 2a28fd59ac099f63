package io.delayqueue.fault;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.RawPartition;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.store.Partitioner;
import io.delayqueue.test.fault.CommandLog;
import io.delayqueue.test.fault.CommandLog.Command;
import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults that must not take messages from living consumers. Two processes share a queue,
 * so that the reclaimers of both could reclaim messages of each other.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class LiveConsumerLeaseIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** Each partition has a reclaimer in each process. */
	private static final int PARTITIONS = 8;

	/** The number of messages: more than the permits of one process. */
	private static final int MESSAGES = 24;

	/** Long enough for a check of each reclaimer. */
	private static final Duration REFUSED = TIMEOUT.plusSeconds(5);

	private final CountDownLatch during = new CountDownLatch(1);

	private final CountDownLatch after = new CountDownLatch(1);

	private final List<Worker> workers = new ArrayList<>();

	private AutoCloseable servers;

	private FaultHarness harness;

	@AfterEach
	void stopAll() throws Exception {
		this.during.countDown();
		this.after.countDown();
		this.harness.close();
		this.servers.close();
	}

	/** No process can renew its leases while Redis refuses all writes. */
	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	@DisplayName("row 53: while Redis refuses all writes, and after it, no living consumer loses a message")
	void livingConsumersKeepTheirMessagesWhenRedisRefusesWrites(String driver) {
		RedisServer redis = RedisServer.builder().start();
		this.servers = redis;
		this.harness = new FaultHarness(redis.uri(), "spring.data.redis.client-type=" + driver);

		assertLivingConsumersKeepTheirMessages(List.of(redis));
	}

	/** The gate of a cluster never closes. */
	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	@DisplayName("row 53: while a cluster refuses all writes, and after it, no living consumer loses a message")
	void livingConsumersKeepTheirMessagesWhenAClusterRefusesWrites(String driver) {
		RedisCluster cluster = RedisCluster.builder().replicas(0).start();
		this.servers = cluster;
		this.harness = new FaultHarness(URI.create("redis://unused"), "spring.data.redis.client-type=" + driver)
			.onCluster(cluster.addresses());

		assertLivingConsumersKeepTheirMessages(cluster.masters());
	}

	private void assertLivingConsumersKeepTheirMessages(List<RedisServer> nodes) {
		startFirst("delayqueue.defaults.visibility-timeout=" + TIMEOUT.toSeconds() + "s");
		startOther();

		nodes.forEach((node) -> node.call("CONFIG", "SET", "min-replicas-to-write", "1"));
		this.during.countDown();
		await(() -> idleMillis().allMatch((idle) -> idle > REFUSED.toMillis()));
		nodes.forEach((node) -> node.call("CONFIG", "SET", "min-replicas-to-write", "0"));
		await(() -> idleMillis().allMatch((idle) -> idle < TIMEOUT.toMillis()));

		this.after.countDown();
		assertHandledOnce();
	}

	/** Stores another timeout with the command that the log advises. */
	@Test
	@DisplayName("row 54: storing a shorter visibility timeout takes no message from a living consumer")
	void livingConsumersKeepTheirMessagesWhenAShorterVisibilityTimeoutIsStored() {
		RedisServer redis = RedisServer.builder().start();
		this.servers = redis;
		this.harness = new FaultHarness(redis.uri());
		try (CommandLog log = CommandLog.of(redis)) {
			startFirst("delayqueue.defaults.visibility-timeout=12s");
			startOther();
			// Right after a check of one process, so that the other one reads it seconds
			// before
			Set<RawPartition> unchanged = partitions().collect(Collectors.toSet());
			log.clear();
			await(() -> {
				checks(log).forEach((check) -> unchanged
					.removeIf((partition) -> check.arguments().contains(partition.key("control"))
							&& partition.call("HSET", "control", "visibility-timeout", "1000") != null));
				return unchanged.isEmpty();
			});
			awaitHeartbeats(log, 20);
			assertNoCrashIsCounted();
			assertThat(partitions()).allMatch((partition) -> storedTimeoutOf(partition).startsWith("1000|12000|"));

			// Changes the stored time as if the longer timeout counted no more
			partitions()
				.forEach((partition) -> partition.call("HSET", "control", "visibility-timeout-seen", "1000|12000|1"));
			awaitHeartbeats(log, 20);
			assertNoCrashIsCounted();
		}
		this.during.countDown();
		this.after.countDown();
		assertHandledOnce();

		this.harness.schedule("dead", Duration.ofHours(1));
		String dead = this.harness.id("dead");
		redis.call(partition(Partitioner.of(dead, null, PARTITIONS)).delivery(dead, "silent"));
		await(() -> runs().size() == MESSAGES + 1);
	}

	private static Stream<Command> checks(CommandLog log) {
		String digest = Scripts.digest("reclaim");
		return log.commands().stream().filter((command) -> command.arguments().contains(digest));
	}

	private static String storedTimeoutOf(RawPartition partition) {
		return String.valueOf(partition.call("HGET", "control", "visibility-timeout-seen"));
	}

	/** Waits for that many heartbeats of each partition. */
	private static void awaitHeartbeats(CommandLog log, int beats) {
		log.clear();
		await(() -> log.count("XCLAIM") >= beats * PARTITIONS);
	}

	private void startFirst(String property) {
		this.harness
			.with(property, "delayqueue.defaults.partitions=" + PARTITIONS,
					"delayqueue.defaults.concurrency=" + 2 * MESSAGES / 3)
			.start();
		this.workers.add(this.harness.worker());
	}

	/**
	 * Returns when the two processes hold all messages, some of each partition: that is
	 * why their ids are chosen.
	 */
	private void startOther() {
		this.workers.add(this.harness.application().start(Worker.class).getBean(Worker.class));
		this.workers.forEach((worker) -> worker.behaviour = (
				message) -> (message.payload().startsWith("ends") ? this.during : this.after).await());
		IntStream.range(0, MESSAGES)
			.forEach((i) -> this.harness.scheduleChosen(((i % 2 == 0) ? "ends-" : "lives-") + i, Duration.ZERO));
		await(() -> runs().size() == MESSAGES);
	}

	private void assertNoCrashIsCounted() {
		assertThat(partitions()).extracting((partition) -> partition.call("HGETALL", "failures"))
			.containsOnly(List.of());
	}

	private void assertHandledOnce() {
		await(() -> idleMillis().findAny().isEmpty());
		assertThat(runs()).as("handled once, without a counted crash")
			.hasSize(MESSAGES)
			.extracting(Ledger.Run::attempt)
			.containsOnly(1);
		assertThat(this.workers).as("both worked").noneMatch((worker) -> worker.ledger.runs().isEmpty());
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(condition);
	}

	private List<Ledger.Run> runs() {
		return this.workers.stream().flatMap((worker) -> worker.ledger.runs().stream()).toList();
	}

	/** The idle times of all leases. */
	private Stream<Long> idleMillis() {
		return partitions()
			.map((partition) -> (List<?>) partition.call("XPENDING", "ready", "consumers", "-", "+", "1000"))
			.flatMap(List::stream)
			.map((lease) -> (Long) ((List<?>) lease).get(2));
	}

	private Stream<RawPartition> partitions() {
		return IntStream.range(0, PARTITIONS).mapToObj(this::partition);
	}

	private RawPartition partition(int number) {
		String keys = this.harness.application().prefix() + ":{" + Worker.QUEUE + ":" + number + "}:";
		return new RawPartition((this.servers instanceof RedisCluster cluster) ? cluster.masterOf(keys + "ready")
				: (RedisServer) this.servers, keys);
	}

}
