package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.LimitedWork;
import io.delayqueue.fault.fixture.OwnRedis;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.test.fault.ServerClock;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits and holds when the clock of Redis jumps by an hour, and later back to the right
 * time.
 */
@Tag("slow")
@EnabledOnOs(value = OS.LINUX, architectures = "amd64",
		disabledReason = "The clock of a server can only be moved there")
class LimitsClockIntegrationTests {

	private static final String PREFIX = "delayqueue.queues." + Worker.QUEUE + ".";

	private static final int PER_SECOND = 50;

	private static final int BURST = 10;

	private static final int MOST = 5;

	@RegisterExtension
	final OwnRedis own = new OwnRedis(AppendOnly.ALWAYS);

	private final RedisServer redis = this.own.redis();

	private final FaultHarness harness = this.own.harness();

	private final LimitedWork work = new LimitedWork(this.harness);

	@ParameterizedTest
	@ValueSource(ints = { 1, -1 })
	@DisplayName("row 71: after a jump of the clock a queue gets its rate, and at most one more burst")
	void theRateOfAQueueIsKept(int hours) {
		this.harness.with(PREFIX + "rate-limit.messages=" + PER_SECOND, PREFIX + "rate-limit.burst=" + BURST)
			.startWarm();
		this.work.schedule("m", 600, (i) -> "");
		for (int part = 1; part <= 3; part++) {
			Instant since = Instant.now();
			this.work.awaitHandled("", 200 * part);
			this.work.assertRate("", PER_SECOND, BURST * 2, since, 200);
			ServerClock.set(this.redis, (part == 1) ? Duration.ofHours(hours) : Duration.ZERO);
		}
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, -1 })
	@DisplayName("row 71: after a jump of the clock each group gets its rate, and at most one more burst")
	void theRateOfGroupsIsKept(int hours) {
		int groups = 20;
		int perSecond = 10;
		this.harness.with(PREFIX + "group.rate-limit.messages=" + perSecond, PREFIX + "group.rate-limit.burst=2")
			.startWarm();
		this.work.schedule("m", 90 * groups, (i) -> "g" + i % groups);
		for (int part = 1; part <= 3; part++) {
			Instant since = Instant.now();
			for (int group = 0; group < groups; group++) {
				this.work.awaitHandled("g" + group, 30 * part);
			}
			for (int group = 0; group < groups; group++) {
				this.work.assertRate("g" + group, perSecond, 2 * 2, since, 30);
			}
			ServerClock.set(this.redis, (part == 1) ? Duration.ofHours(hours) : Duration.ZERO);
		}
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, -1 })
	@DisplayName("row 71: after a jump of the clock never more than allowed are in flight, and all permits are used")
	void permitsAreKept(int hours) {
		this.harness.with(PREFIX + "max-in-flight=" + MOST).startWarm();
		CountDownLatch go = new CountDownLatch(1);
		this.harness.worker().behaviour = (message) -> go.await();
		this.work.ghost(MOST, 2, Duration.ofSeconds(15));
		this.work.schedule("m", 200, (i) -> "");
		this.work.awaitHandled(this.redis, MOST, 3);

		ServerClock.set(this.redis, Duration.ofHours(hours));
		this.work.awaitAllUsed(this.redis, MOST);
		ServerClock.set(this.redis, Duration.ZERO);
		go.countDown();

		this.work.awaitHandled(this.redis, MOST, 200);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	@DisplayName("row 71: after a jump of the clock by an hour a hold of half an hour has ended")
	void aHoldEndsAfterTheClockJumpsAhead(String group) {
		this.harness.startWarm();
		hold(group, Duration.ofMinutes(30));
		this.work.schedule("m", 50, (i) -> "g");
		this.work.schedule("n", 50, (i) -> "h");
		awaitStopped(group);

		ServerClock.set(this.redis, Duration.ofHours(1));

		this.work.awaitHandled("g", 50);
		this.work.awaitHandled("h", 50);
		assertThat(this.harness.bean(DelayQueueAdmin.class).holds(Worker.QUEUE)).isEmpty();
		ServerClock.set(this.redis, Duration.ZERO);
		this.work.schedule("later", 10, (i) -> "g");
		this.work.awaitHandled("g", 60);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "g" })
	@DisplayName("row 71: after a jump of the clock back a hold goes on until its end by the new clock")
	void aHoldGoesOnAfterTheClockJumpsBack(String group) {
		this.harness.startWarm();
		hold(group, Duration.ofSeconds(3));
		this.work.schedule("m", 50, (i) -> "g");
		this.work.schedule("n", 50, (i) -> "h");

		ServerClock.set(this.redis, Duration.ofHours(-1));
		awaitStopped(group);

		ServerClock.set(this.redis, Duration.ZERO);
		this.work.awaitHandled("g", 50);
		this.work.awaitHandled("h", 50);
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	private void hold(String group, Duration duration) {
		DelayQueueAdmin admin = this.harness.bean(DelayQueueAdmin.class);
		if (group.isEmpty()) {
			admin.hold(Worker.QUEUE, duration, "test");
		}
		else {
			admin.hold(Worker.QUEUE, group, duration, "test");
		}
	}

	/**
	 * Longer than the hold that jumps back; nothing that is held is handled meanwhile.
	 */
	private void awaitStopped(String group) {
		if (!group.isEmpty()) {
			this.work.awaitHandled("h", 50);
		}
		Awaitility.await().pollDelay(Duration.ofSeconds(5)).until(() -> true);
		assertThat(this.work.handled("g")).isZero();
		assertThat(this.work.handled("h")).isEqualTo(group.isEmpty() ? 0 : 50);
	}

}
