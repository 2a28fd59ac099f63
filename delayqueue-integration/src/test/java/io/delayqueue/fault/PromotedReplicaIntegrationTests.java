package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.LaggingReplica;
import io.delayqueue.test.fault.Replication;
import io.delayqueue.test.fault.ServerClock;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A replica that is promoted and differs from its master: it lags behind, or its clock is
 * wrong. Master and replica stand behind one address that moves.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class PromotedReplicaIntegrationTests {

	/** The only replica has sent nothing for 3 seconds or longer. */
	private static final Pattern NO_GOOD_REPLICA = Pattern.compile("(?s)min_slaves_good_slaves:0.*lag=([3-9]|\\d\\d)");

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final Duration LATER = Duration.ofSeconds(4);

	private LaggingReplica redis;

	private FaultHarness harness;

	@BeforeEach
	void startRedis() {
		this.redis = new LaggingReplica();
		this.harness = new FaultHarness(this.redis.uri(), "delayqueue.defaults.visibility-timeout=6s").startWarm();
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 38: promoting a lagging replica loses the writes that it has not received, and nothing else")
	void promotingALaggingReplicaLosesOnlyUnreceivedWrites() {
		this.harness.scheduleAll("handled-unseen", 50, Duration.ofSeconds(1));
		this.harness.scheduleAll("kept", 100, LATER);
		this.redis.lag();
		this.harness.scheduleAll("lost", 200, LATER);
		this.harness.ledger().await(1 + 50);
		Awaitility.await()
			.atMost(LIMIT)
			.untilAsserted(
					() -> assertThat(this.redis.master().call("HLEN", this.harness.key("messages"))).isEqualTo(300L));
		Set<String> got = this.harness.ledger().named(idsOf(this.redis.replica()));

		Instant promoted = promote();

		this.harness.schedule("after", Duration.ZERO);
		awaitNothingLeft();
		Set<String> lost = new TreeSet<>(this.harness.ledger().accepted());
		lost.removeAll(this.harness.ledger().handled());
		this.harness.ledger().report("row 38, lagging replica promoted", promoted);
		assertThat(got).hasSize(150).noneMatch((name) -> name.startsWith("lost"));
		assertThat(lost).hasSize(200).allMatch((name) -> name.startsWith("lost"));
		// Messages that were finished on the old master alone
		assertThat(this.harness.ledger().runs()).filteredOn((run) -> run.name().startsWith("handled-unseen"))
			.hasSize(2 * 50);
		assertThat(this.harness.ledger().doubled()).isEqualTo(50);
		// A producer that keeps its own record may schedule again
		this.harness.scheduleAll("lost", 200, Duration.ZERO);
		this.harness.assertAllIsWell(this.redis.replica());
	}

	@Test
	@DisplayName("row 38: a master that must not write alone rejects writes, and the replica has all accepted ones")
	void masterThatMustNotWriteAloneRejectsWrites() {
		this.redis.master().call("CONFIG", "SET", "min-replicas-to-write", "1");
		this.redis.master().call("CONFIG", "SET", "min-replicas-max-lag", "1");
		this.harness.scheduleAll("kept", 100, LATER);
		Replication.awaitCopied(this.redis.master(), this.redis.replica(), LIMIT);
		this.redis.replica().freeze();
		// So long that the master has read the last acknowledgement that the replica sent
		Awaitility.await()
			.atMost(LIMIT)
			.until(() -> NO_GOOD_REPLICA.matcher(String.valueOf(this.redis.master().call("INFO", "replication")))
				.find());

		this.harness.schedule("alone", Duration.ZERO);

		assertThat(this.harness.ledger().refused().get("alone")).isInstanceOf(DelayQueueUnavailableException.class)
			.hasMessageContaining("NOREPLICAS")
			.hasMessageContaining("nothing is stored");
		this.redis.replica().resume();
		promote();
		this.harness.schedule("after", Duration.ZERO);
		this.harness.assertAllIsWell(this.redis.replica());
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@Test
	@DisplayName("row 44: a replica whose clock is 2 min ahead delivers 2 min early, and loses nothing")
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
			disabledReason = "The clock of a server can only be moved there")
	void replicaWhoseClockIsAheadDeliversEarly() {
		ServerClock.set(this.redis.replica(), Duration.ofMinutes(2));
		this.harness.scheduleAll("soon", 50, Duration.ofSeconds(100));
		this.harness.scheduleAll("later", 50, Duration.ofSeconds(135));
		CountDownLatch held = holdOne();
		Replication.awaitCopied(this.redis.master(), this.redis.replica(), LIMIT);

		Instant promoted = promote();

		Awaitility.await().atMost(LIMIT).until(() -> handled("soon") == 50);
		assertThat(handled("later")).isZero();
		held.countDown();
		Awaitility.await().atMost(LIMIT).until(() -> handled("later") == 50);
		awaitNothingLeft();
		this.harness.ledger().report("row 44, clock 120 s ahead", promoted);
		assertThat(this.harness.ledger().runs())
			.filteredOn((run) -> !run.name().equals("warm") && !run.name().equals("held"))
			.extracting((run) -> run.lateness().plusSeconds(120).isNegative())
			.containsOnly(false);
		// A running handler keeps its message, however old its lease looks
		assertThat(this.harness.ledger().runsOf("held")).hasSize(1);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@Test
	@DisplayName("row 44: a replica whose clock is 2 min behind delivers 2 min late, and loses nothing")
	@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
			disabledReason = "The clock of a server can only be moved there")
	void replicaWhoseClockIsBehindDeliversLate() {
		ServerClock.set(this.redis.replica(), Duration.ofMinutes(-2));
		this.harness.scheduleAll("known", 50, Duration.ofSeconds(3));
		CountDownLatch held = holdOne();
		Replication.awaitCopied(this.redis.master(), this.redis.replica(), LIMIT);

		Instant promoted = promote();

		// A delay counts from the clock of the current master
		this.harness.schedule("delayed", Duration.ZERO);
		Awaitility.await().atMost(LIMIT).until(() -> handled("delayed") == 1);
		Awaitility.await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
		assertThat(handled("known")).isZero();
		held.countDown();
		ServerClock.set(this.redis.replica(), Duration.ZERO);
		Awaitility.await().atMost(LIMIT).until(() -> handled("known") == 50);
		awaitNothingLeft();
		this.harness.ledger().report("row 44, clock 120 s behind", promoted);
		assertThat(this.harness.ledger().runsOf("held")).hasSize(1);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	/** Schedules a message that is handled until the latch is open. */
	private CountDownLatch holdOne() {
		CountDownLatch held = new CountDownLatch(1);
		this.harness.worker().behaviour = (message) -> {
			if (message.payload().equals("held")) {
				held.await();
			}
		};
		this.harness.schedule("held", Duration.ZERO);
		Awaitility.await().atMost(LIMIT).until(() -> handled("held") == 1);
		return held;
	}

	private long handled(String name) {
		return this.harness.ledger().handled().stream().filter((handled) -> handled.startsWith(name)).count();
	}

	private Instant promote() {
		this.redis.promote();
		return Instant.now();
	}

	private Set<String> idsOf(RedisServer server) {
		Set<String> ids = new TreeSet<>();
		((List<?>) server.call("HKEYS", this.harness.key("messages"))).forEach((id) -> ids.add(String.valueOf(id)));
		return ids;
	}

	private void awaitNothingLeft() {
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.untilAsserted(
					() -> assertThat(this.redis.replica().call("HLEN", this.harness.key("messages"))).isEqualTo(0L));
	}

}
