package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.fault.fixture.RawPartition;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Disturbances of scripts and connections while messages are scheduled and handled all
 * the time.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class NetworkFaultIntegrationTests {

	private final ScheduledExecutorService disturber = Executors.newSingleThreadScheduledExecutor();

	private RedisServer redis;

	private FaultProxy proxy;

	private FaultHarness harness;

	String driver() {
		return "jedis";
	}

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.proxy = FaultProxy.to(this.redis);
		this.harness = new FaultHarness(this.proxy.uri(), "delayqueue.defaults.visibility-timeout=6s",
				"spring.data.redis.client-type=" + driver());
	}

	@AfterEach
	void stopAll() {
		this.disturber.shutdownNow();
		this.harness.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 22: SCRIPT FLUSH all the time is invisible")
	void scriptFlushAllTheTimeIsInvisible() throws InterruptedException {
		this.harness.startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() == 1 && message.payload().endsWith("7")) {
				throw new IllegalStateException("again");
			}
		};

		long flushes = whileLoaded(100, "SCRIPT", "FLUSH");

		assertThat(flushes).isGreaterThan(10);
		assertThat(this.harness.ledger().refused()).isEmpty();
		assertThat(this.harness.ledger().unknown()).isEmpty();
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).extracting((run) -> run.id() + "/" + run.attempt())
			.doesNotHaveDuplicates();
	}

	@Test
	@DisplayName("row 23: connections that are killed all the time are reopened")
	void killedConnectionsAreReopened() throws InterruptedException {
		this.harness.startWarm();

		long kills = whileLoaded(300, "CLIENT", "KILL", "TYPE", "normal");

		assertThat(kills).isGreaterThan(4);
		assertThat(this.harness.ledger().refused()).isEmpty();
		assertThat(this.harness.ledger().unknown()).isEmpty();
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@Test
	void messagesOfASilentConsumerAreReclaimedWhileConnectionsAreKilled() throws InterruptedException {
		try (RespClient client = this.redis.client()) {
			reclaimWhile(() -> client.call("CLIENT", "KILL", "TYPE", "normal"), client);
		}
	}

	@Test
	void messagesOfASilentConsumerAreReclaimedWhileCallsAreLost() throws InterruptedException {
		try (RespClient client = this.redis.client()) {
			reclaimWhile(() -> this.harness.bean(DelayQueueEngine.class)
				.gate()
				.lost(new IllegalStateException("for a moment")), client);
		}
	}

	/**
	 * The heartbeats of living consumers succeed in between, and so must the reclaimer.
	 */
	private void reclaimWhile(Runnable disturbance, RespClient client) throws InterruptedException {
		CountDownLatch go = new CountDownLatch(1);
		this.harness.with("delayqueue.defaults.visibility-timeout=3s").startWarm();
		this.harness.worker().behaviour = (message) -> go.await();
		this.harness.schedule("lives", Duration.ZERO);
		this.harness.ledger().await(2);
		this.disturber.scheduleAtFixedRate(disturbance, 0, 300, TimeUnit.MILLISECONDS);
		this.harness.schedule("dead", Duration.ofHours(1));
		RawPartition partition = new RawPartition(this.redis, this.harness.key(""));
		client.call(partition.delivery(this.harness.id("dead"), "silent"));

		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> Objects.equals(client.call("HGET", this.harness.key("failures"), this.harness.id("dead")),
					"0|1|0||"));

		this.disturber.shutdown();
		assertThat(this.disturber.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
		go.countDown();
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> Objects.equals(partition.call("HLEN", "messages"), 0L));
		assertThat(this.harness.ledger().runsOf("lives")).extracting(Ledger.Run::attempt).containsExactly(1);
		assertThat(this.harness.ledger().runsOf("dead")).extracting(Ledger.Run::attempt).containsExactly(2);
	}

	/** Sends a command repeatedly under load, and returns how often. */
	private long whileLoaded(int everyMillis, String... command) throws InterruptedException {
		long[] sent = new long[1];
		Load load = this.harness.load(200);
		try (RespClient client = this.redis.client()) {
			this.disturber.scheduleAtFixedRate(() -> {
				client.call(command);
				sent[0]++;
			}, 0, everyMillis, TimeUnit.MILLISECONDS);
			Awaitility.await()
				.atMost(FaultHarness.LONG_ENOUGH)
				.until(() -> this.harness.ledger().accepted().size() >= 400);
			this.disturber.shutdown();
			assertThat(this.disturber.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
		}
		load.close();
		return sent[0];
	}

	@Test
	@DisplayName("row 24: work continues after a link has swallowed replies for 2 s")
	void workContinuesAfterALinkHasSwallowedReplies() {
		this.harness.startWarm();
		swallow(Duration.ofSeconds(2));
	}

	@Test
	@DisplayName("row 24: work continues after a link has swallowed replies for 10 s")
	void workContinuesAfterALinkHasSwallowedRepliesForLong() {
		this.harness.startWarm();
		swallow(Duration.ofSeconds(10));
	}

	private void swallow(Duration time) {
		int threads = ourThreads();
		Load load = this.harness.load(50);
		this.harness.ledger().await(20);
		this.proxy.blackhole();
		Awaitility.await().pollDelay(time).atMost(time.plus(FaultHarness.LONG_ENOUGH)).until(() -> true);
		// No link loses the middle of a stream and continues with the rest
		this.proxy.cutAll();
		this.proxy.pass();

		awaitNextDelivery();
		load.close();
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
		assertThat(ourThreads()).isLessThanOrEqualTo(threads + 15);
	}

	@Test
	@DisplayName("row 24: half-open connections are closed after their timeout")
	void halfOpenConnectionsAreClosed() {
		this.harness.startWarm();
		Load load = this.harness.load(50);
		this.harness.ledger().await(20);

		this.proxy.silenceOpen();

		awaitNextDelivery();
		load.close();
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	private void awaitNextDelivery() {
		Instant now = Instant.now();
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.ledger().runs().stream().anyMatch((run) -> run.at().isAfter(now)));
	}

	private static int ourThreads() {
		return (int) Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("delayqueue-"))
			.count();
	}

	@Test
	@DisplayName("row 25: a slow link only adds latency")
	void slowLinkOnlyAddsLatency() {
		this.harness.startWarm();
		this.proxy.delay(Duration.ofMillis(150), Duration.ofMillis(300));
		Load load = this.harness.load(50);
		Awaitility.await().atMost(FaultHarness.LONG_ENOUGH).until(() -> this.harness.ledger().accepted().size() >= 15);
		load.close();

		this.harness.ledger().awaitAccepted();
		assertThat(this.harness.ledger().refused()).isEmpty();
		assertThat(this.harness.ledger().unknown()).isEmpty();
		this.proxy.pass();
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

}
