package io.delayqueue.fault;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.test.fault.RedisSentinel;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A master that sentinels replace with its replica while messages are scheduled and
 * handled all the time.
 */
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class SentinelFailoverIntegrationTests {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	/** The sentinels need a second to detect that the master is silent. */
	private RedisSentinel redis;

	private FaultHarness harness;

	String driver() {
		return "jedis";
	}

	@BeforeAll
	void startRedis() {
		this.redis = RedisSentinel.builder().start();
	}

	@AfterAll
	void stopRedis() {
		this.redis.close();
	}

	@BeforeEach
	void startTrial() {
		// No call must end while there is no master
		this.harness = new FaultHarness(URI.create("redis://unused"), "delayqueue.defaults.visibility-timeout=6s",
				"delayqueue.schedule.deadline=15s", "delayqueue.defaults.done-window-of-generated-ids=30s",
				"spring.data.redis.client-type=" + driver())
			.onSentinel(this.redis)
			.startWarm();
	}

	@AfterEach
	void completeChange() {
		this.harness.close();
		this.redis.servers().stream().filter((server) -> !server.isRunning()).forEach(RedisServer::restart);
		this.redis.awaitHealthy(LIMIT);
	}

	@Test
	@DisplayName("row 37: a killed master is replaced within 10 s, and no data of its replica is lost")
	void killedMasterIsReplaced() {
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);

		Instant killed = killMaster(load);

		handleAnother(100);
		load.close();
		assertNothingIsLost("row 37, master killed", killed);
	}

	@Test
	@DisplayName("row 39: a killed master that returns as a replica disturbs nothing")
	void masterThatReturnsAsAReplicaDisturbsNothing() {
		RedisServer master = this.redis.master();
		Load load = this.harness.load(100);
		this.harness.ledger().await(50);
		Instant killed = killMaster(load);
		handleAnother(50);

		master.restart();
		this.redis.awaitHealthy(LIMIT);

		assertThat(this.redis.master()).isNotSameAs(master);
		handleAnother(100);
		load.close();
		assertNothingIsLost("row 39, killed master back", killed);
	}

	@Test
	@DisplayName("row 39: no call goes to a working master after it has been replaced")
	void noCallGoesToAWorkingMasterAfterItsReplacement() {
		RedisServer master = this.redis.master();
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);

		Instant replaced = Instant.now();
		// Sentinels demote it after they have promoted its replica: writes that it
		// accepts in between are lost
		load.betweenCalls(() -> {
			Replication.awaitCopied(master, replicaOf(master), LIMIT);
			this.redis.failOver(LIMIT);
		});

		handleAnother(100);
		load.close();
		assertNothingIsLost("row 39, master replaced", replaced);
	}

	@Test
	@DisplayName("row 37: killing one master after the other loses nothing")
	void killingOneMasterAfterTheOtherLosesNothing() {
		Load load = this.harness.load(100);
		Instant first = Instant.now();
		for (int i = 0; i < 5; i++) {
			handleAnother(100);
			RedisServer master = this.redis.master();
			killMaster(load);
			handleAnother(100);
			master.restart();
			this.redis.awaitHealthy(LIMIT);
		}
		load.close();
		assertNothingIsLost("row 37, five masters killed", first);
	}

	@Test
	@DisplayName("row 82: a sentinel that hangs delays no message")
	void hangingSentinelDelaysNoMessage() {
		RedisServer sentinel = this.redis.sentinels().get(0);
		Load load = this.harness.load(50);
		int before = this.harness.ledger().await(50).size();

		sentinel.freeze();
		List<Ledger.Run> runs = this.harness.ledger().await(before + 300).subList(before, before + 300);
		sentinel.resume();

		load.close();
		List<Duration> late = runs.stream().map(Ledger.Run::lateness).sorted().toList();
		assertThat(late.get(late.size() * 99 / 100)).as(late.toString()).isLessThan(Duration.ofMillis(1200));
	}

	/**
	 * Kills between two calls, when the replica has the data of the last call, so that
	 * the kill does not affect accepted messages. Consumers run until the end.
	 */
	private Instant killMaster(Load load) {
		RedisServer master = this.redis.master();
		RedisServer replica = replicaOf(master);
		load.betweenCalls(() -> {
			Replication.awaitCopied(master, replica, LIMIT);
			master.kill();
		});
		Instant killed = Instant.now();
		Awaitility.await().atMost(LIMIT).until(() -> this.redis.master() == replica);
		this.redis.awaitFailover(LIMIT);
		return killed;
	}

	private RedisServer replicaOf(RedisServer master) {
		return this.redis.servers().stream().filter((server) -> server != master).findFirst().orElseThrow();
	}

	private void handleAnother(int messages) {
		this.harness.ledger().await(this.harness.ledger().runs().size() + messages);
	}

	private void assertNothingIsLost(String what, Instant faultAt) {
		this.harness.assertAllIsWell(this.redis.master());
		Ledger ledger = this.harness.ledger();
		ledger.report(what + ", " + driver(), faultAt);
		assertThat(ledger.refused()).isEmpty();
		assertThat(ledger.unknown()).isEmpty();
		// A message that was settled with the old master alone is handled once more
		assertThat(ledger.doubled()).isLessThanOrEqualTo(5 * 10);
	}

}
