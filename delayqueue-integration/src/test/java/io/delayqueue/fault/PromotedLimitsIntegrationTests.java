package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.LaggingReplica;
import io.delayqueue.fault.fixture.LimitedWork;
import io.delayqueue.fault.fixture.Worker;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits and holds when a replica is promoted that lags behind its master. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class PromotedLimitsIntegrationTests {

	private static final String PREFIX = "delayqueue.queues." + Worker.QUEUE + ".";

	private static final int PER_SECOND = 50;

	private static final int BURST = 10;

	private static final int MOST = 5;

	private LaggingReplica redis;

	private FaultHarness harness;

	private LimitedWork work;

	@BeforeEach
	void startRedis() {
		this.redis = new LaggingReplica();
		this.harness = new FaultHarness(this.redis.uri(), "delayqueue.defaults.visibility-timeout=6s");
		this.work = new LimitedWork(this.harness);
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 70: a queue gets its rate, and at most one more burst, after a lagging replica is promoted")
	void theRateOfAQueueIsKept() {
		this.harness.with(PREFIX + "rate-limit.messages=" + PER_SECOND, PREFIX + "rate-limit.burst=" + BURST)
			.startWarm();
		this.work.schedule("m", 400, (i) -> "");
		this.work.awaitHandled("", 50);
		this.redis.lag();
		this.work.awaitHandled("", 150);

		this.redis.promote();

		assertRate(PER_SECOND, BURST * 2, 200, List.of(""));
	}

	@Test
	@DisplayName("row 70: each group gets its rate, and at most one more burst, after a lagging replica is promoted")
	void theRateOfGroupsIsKept() {
		int groups = 5;
		int perSecond = 10;
		this.harness.with(PREFIX + "group.rate-limit.messages=" + perSecond, PREFIX + "group.rate-limit.burst=2")
			.startWarm();
		this.work.schedule("m", 80 * groups, (i) -> "g" + i % groups);
		this.work.awaitHandled("g0", 10);
		this.redis.lag();
		this.work.awaitHandled("g0", 30);

		this.redis.promote();

		assertRate(perSecond, 2 * 2, 50, IntStream.range(0, groups).mapToObj((n) -> "g" + n).toList());
	}

	@Test
	@DisplayName("row 70: never more than allowed are in flight, and all permits are used, after a lagging replica is promoted")
	void permitsAreKept() {
		this.harness.with(PREFIX + "max-in-flight=" + MOST).startWarm();
		Semaphore mayEnd = new Semaphore(0);
		this.harness.worker().behaviour = (message) -> mayEnd.acquire();
		int ofGhost = 2;
		int ofWorker = MOST - ofGhost;
		this.work.ghost(MOST, ofGhost, Duration.ofSeconds(15));
		this.work.schedule("m", 40, (i) -> "");
		this.work.awaitHandled("", ofWorker);
		this.redis.lag();
		// The replica does not get these acknowledgements, nor the reads behind them
		mayEnd.release(ofWorker);
		this.work.awaitHandled("", ofWorker * 2);

		this.redis.promote();

		mayEnd.release(ofWorker);
		this.work.awaitAllUsed(this.redis.replica(), MOST);
		mayEnd.release(1000);
		this.work.awaitNothingLeft(this.redis.replica(), MOST);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	@DisplayName("row 70: a hold that the promoted replica has goes on; one that it lacks is lost")
	void aHoldGoesOn(String group) {
		this.harness.startWarm();
		DelayQueueAdmin admin = this.harness.bean(DelayQueueAdmin.class);
		if (group.isEmpty()) {
			admin.hold(Worker.QUEUE, Duration.ofHours(1), "test");
		}
		else {
			admin.hold(Worker.QUEUE, group, Duration.ofHours(1), "test");
		}
		this.work.schedule("m", 50, (i) -> "g");
		this.work.schedule("n", 50, (i) -> "h");
		this.redis.lag();
		admin.hold(Worker.QUEUE, "h", Duration.ofHours(1), "test");

		this.redis.promote();

		if (!group.isEmpty()) {
			this.work.awaitHandled("h", 50);
		}
		// Some intervals of the sweep
		Awaitility.await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
		assertThat(this.work.handled("g")).isZero();
		assertThat(admin.holds(Worker.QUEUE)).hasSize(1);
		admin.release(Worker.QUEUE);
		this.work.awaitHandled("g", 50);
		this.work.awaitHandled("h", 50);
	}

	/**
	 * Messages that were handled while the replica lagged are handled again, at the same
	 * rate.
	 */
	private void assertRate(int perSecond, int bursts, int rest, List<String> groups) {
		Instant since = Instant.now();
		Map<String, Long> before = groups.stream().collect(Collectors.toMap((group) -> group, this.work::handled));
		before.forEach((group, handled) -> this.work.awaitHandled(group, handled + rest));
		groups.forEach((group) -> this.work.assertRate(group, perSecond, bursts, since, rest));
		this.work.awaitNothingLeft(this.redis.replica(), Integer.MAX_VALUE);
		this.harness.ledger().awaitAccepted();
	}

}
