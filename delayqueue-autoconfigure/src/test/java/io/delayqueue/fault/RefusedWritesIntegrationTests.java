package io.delayqueue.fault;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.test.redis.RedisCluster;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis answers, and refuses all writes for longer than the visibility timeout: no
 * process can renew its leases. Two processes share the queue, so that each has messages
 * that the reclaimers of both could take back.
 */
@SuppressWarnings("NullAway.Init")
class RefusedWritesIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** Each of them has a reclaimer in each process. */
	private static final int PARTITIONS = 8;

	/** More than one process has room for. */
	private static final int MESSAGES = 24;

	/** By then each reclaimer has looked. */
	private static final Duration REFUSED = TIMEOUT.plusSeconds(5);

	private final CountDownLatch during = new CountDownLatch(1);

	private final CountDownLatch after = new CountDownLatch(1);

	private final List<Worker> workers = new ArrayList<>();

	private AutoCloseable servers;

	private Trial trial;

	@AfterEach
	void stopAll() throws Exception {
		this.during.countDown();
		this.after.countDown();
		this.trial.close();
		this.servers.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void whenRedisTakesWritesAgainLivingConsumersKeepTheirMessages(String driver) {
		RedisServer redis = RedisServer.builder().start();
		this.servers = redis;
		this.trial = new Trial(redis.uri(), "spring.data.redis.client-type=" + driver);

		assertLivingConsumersKeepTheirMessages(List.of(redis));
	}

	/** Its gate never closes. */
	@ParameterizedTest
	@ValueSource(strings = { "jedis", "lettuce" })
	void whenAClusterTakesWritesAgainLivingConsumersKeepTheirMessages(String driver) {
		RedisCluster cluster = RedisCluster.builder().replicas(0).start();
		this.servers = cluster;
		this.trial = new Trial(URI.create("redis://unused"), "spring.data.redis.client-type=" + driver)
			.onCluster(cluster.addresses());

		assertLivingConsumersKeepTheirMessages(cluster.masters());
	}

	private void assertLivingConsumersKeepTheirMessages(List<RedisServer> nodes) {
		this.trial.with("delayqueue.defaults.visibility-timeout=" + TIMEOUT.toSeconds() + "s",
				"delayqueue.defaults.partitions=" + PARTITIONS, "delayqueue.defaults.concurrency=" + 2 * MESSAGES / 3)
			.start();
		this.workers.add(this.trial.worker());
		this.workers.add(this.trial.application().start(Worker.class).getBean(Worker.class));
		this.workers.forEach(
				(worker) -> worker.behaviour = (message) -> (message.id().startsWith("ends") ? this.during : this.after)
					.await());
		IntStream.range(0, MESSAGES)
			.forEach((i) -> this.trial.schedule(((i % 2 == 0) ? "ends-" : "lives-") + i, Duration.ZERO));
		Awaitility.await().atMost(Trial.LONG_ENOUGH).until(() -> runs().size() == MESSAGES);

		nodes.forEach((node) -> node.call("CONFIG", "SET", "min-replicas-to-write", "1"));
		this.during.countDown();
		Awaitility.await()
			.atMost(Trial.LONG_ENOUGH)
			.until(() -> idleMillis(nodes).allMatch((idle) -> idle > REFUSED.toMillis()));
		nodes.forEach((node) -> node.call("CONFIG", "SET", "min-replicas-to-write", "0"));
		Awaitility.await()
			.atMost(Trial.LONG_ENOUGH)
			.until(() -> idleMillis(nodes).allMatch((idle) -> idle < TIMEOUT.toMillis()));
		this.after.countDown();

		Awaitility.await().atMost(Trial.LONG_ENOUGH).untilAsserted(() -> assertThat(idleMillis(nodes)).isEmpty());
		assertThat(runs()).as("handled once, without blame")
			.hasSize(MESSAGES)
			.extracting(Ledger.Run::attempt)
			.containsOnly(1);
		assertThat(this.workers).as("both worked").noneMatch((worker) -> worker.ledger.runs().isEmpty());
	}

	private List<Ledger.Run> runs() {
		return this.workers.stream().flatMap((worker) -> worker.ledger.runs().stream()).toList();
	}

	/** Of all leases. */
	private Stream<Long> idleMillis(List<RedisServer> nodes) {
		return IntStream.range(0, PARTITIONS).mapToObj((partition) -> {
			String key = this.trial.application().prefix() + ":{" + Worker.QUEUE + ":" + partition + "}:ready";
			RedisServer node = (this.servers instanceof RedisCluster cluster) ? cluster.masterOf(key) : nodes.get(0);
			return (List<?>) node.call("XPENDING", key, "consumers", "-", "+", "1000");
		}).flatMap(List::stream).map((lease) -> (Long) ((List<?>) lease).get(2));
	}

}
