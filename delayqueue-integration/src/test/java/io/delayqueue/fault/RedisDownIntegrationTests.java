package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A Redis that dies and restarts with all data that it has confirmed. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class RedisDownIntegrationTests {

	/**
	 * Concurrent callers of schedule during the outage; their reconnect attempts are
	 * bounded together.
	 */
	private static final int CALLERS = 20;

	private RedisServer redis;

	private FaultProxy proxy;

	private FaultHarness harness;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().appendOnly(AppendOnly.ALWAYS).start();
		this.proxy = FaultProxy.to(this.redis);
		this.harness = new FaultHarness(this.proxy.uri(), "delayqueue.defaults.visibility-timeout=6s").startWarm();
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 19: five kills under load lose nothing, and work continues after each")
	void fiveKillsUnderLoadLoseNothing() {
		killUnderLoad(5);
	}

	@Test
	@DisplayName("row 19: a hundred kills under load lose nothing, and work continues after each")
	void hundredKillsUnderLoadLoseNothing() {
		killUnderLoad(100);
	}

	private void killUnderLoad(int times) {
		Load load = this.harness.load(100);
		for (int i = 0; i < times; i++) {
			int before = this.harness.ledger().runs().size();
			this.harness.ledger().await(before + 20);
			// One message that is due while Redis is down, whatever the load does
			this.harness.schedule("waits-" + i, Duration.ofMillis(20));

			this.redis.kill();
			this.redis.restart();

			awaitNextDelivery();
		}
		load.close();
		this.harness.assertAllIsWell(this.redis);
		// A message that was being handled when the server died is handled once more at
		// most
		assertThat(this.harness.ledger().doubled()).isLessThanOrEqualTo(times * 10);
	}

	private void awaitNextDelivery() {
		Instant back = Instant.now();
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> this.harness.ledger().runs().stream().anyMatch((run) -> run.at().isAfter(back)));
	}

	@Test
	@DisplayName("row 26: during an outage of 3 s connections are tried rarely, and work continues after it")
	void reconnectsAreRareAndWorkContinuesAfterAnOutage() {
		down(Duration.ofSeconds(3));
	}

	@Test
	@DisplayName("row 26: during an outage of 30 s connections are tried rarely, and work continues after it")
	void reconnectsAreRareAndWorkContinuesAfterALongOutage() {
		down(Duration.ofSeconds(30));
	}

	private void down(Duration time) {
		this.harness.schedule("waits", Duration.ofMillis(500));
		this.redis.kill();
		// Each pooled connection detects on its own that it is broken
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.proxy.openConnections() == 0
					&& !this.harness.bean(DelayQueueEngine.class).gate().isOpen());
		Instant began = Instant.now();
		long attempts = this.proxy.accepted();
		List<CompletableFuture<Void>> callers = IntStream.range(0, CALLERS)
			.mapToObj((i) -> CompletableFuture.runAsync(() -> this.harness.schedule("caller-" + i, Duration.ZERO),
					(caller) -> new Thread(caller, "caller").start()))
			.toList();

		Awaitility.await().pollDelay(time).atMost(time.plus(FaultHarness.LONG_ENOUGH)).until(() -> true);

		double seconds = Duration.between(began, Instant.now()).toMillis() / 1000.0;
		assertThat((this.proxy.accepted() - attempts) / seconds).as("attempts a second").isLessThanOrEqualTo(5);
		this.redis.restart();
		awaitNextDelivery();
		callers.forEach(CompletableFuture::join);
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

}
