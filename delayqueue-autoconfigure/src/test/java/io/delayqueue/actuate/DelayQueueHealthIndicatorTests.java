package io.delayqueue.actuate;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.LoopStatus;
import io.delayqueue.lifecycle.RedisGate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

class DelayQueueHealthIndicatorTests {

	private static final Duration TOLERATED = Duration.ofMinutes(1);

	private static final String STANDSTILL = ": no queue of this process moves until it does; is it running, and is"
			+ " spring.data.redis.* its address?";

	private static final Duration TOO_LONG = Duration.ofSeconds(61);

	private final AtomicBoolean there = new AtomicBoolean(true);

	private final AtomicInteger asked = new AtomicInteger();

	private final LoopRegistry activities = new LoopRegistry();

	private final RedisGate gate = new RedisGate(this.there::get);

	private final DelayQueueHealthIndicator indicator = indicator(TOLERATED);

	@AfterEach
	void closeGate() {
		this.gate.close();
	}

	@Test
	void itIsUpWhileAllActivitiesGoOn() {
		activity("read orders", true, Duration.ZERO, null);
		activity("settle orders", true, Duration.ZERO, null);

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsExactly(entry("activities", 2));
	}

	@Test
	void whatFailsNoLongerThanToleratedIsNotTold() {
		activity("read orders", true, TOLERATED, new IllegalStateException("no"));

		assertThat(health().getStatus()).isEqualTo(Status.UP);
		assertThat(health().getDetails()).containsOnlyKeys("activities");
	}

	@Test
	void whatFailsForLongerIsNamedWithItsReason() {
		activity("read orders", true, TOO_LONG, new IllegalStateException("no right to read"));
		activity("read pushes", true, Duration.ZERO, null);

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(failing()).containsExactly(entry("read orders",
				"failed 7 times in the last 61 s and goes on trying: IllegalStateException: no right to read"));
	}

	@Test
	void anActivityThatEndedByItselfIsNamed() {
		activity("read orders", false, Duration.ZERO, null);

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(failing()).containsExactly(entry("read orders",
				"ended without being stopped: its queue stands still in this process; restart it"));
	}

	@Test
	void aReasonIsOneShortLineWithoutSecrets() {
		activity("a", true, TOO_LONG, new IllegalStateException("redis://app:pass@word@host:6379/0 is away\n\tat x"));
		activity("b", true, TOO_LONG, new IllegalStateException("x".repeat(1000)));
		activity("c", true, TOO_LONG, new IllegalStateException());

		assertThat(failing().get("a")).endsWith("IllegalStateException: redis://***@host:6379/0 is away");
		assertThat(failing().get("b")).hasSizeLessThan(600).endsWith("...");
		assertThat(failing().get("c")).endsWith(": IllegalStateException");
		assertThat(health().getDetails().toString()).doesNotContain("word");
	}

	@Test
	void whereNobodyCallsRedisHealthAsksItself() {
		assertThat(health().getStatus()).isEqualTo(Status.UP);
		this.there.set(false);
		assertThat(health().getStatus()).as("it was there a moment ago").isEqualTo(Status.UP);

		DelayQueueHealthIndicator impatient = indicator(Duration.ZERO);
		this.there.set(true);
		assertThat(impatient.health().getStatus()).isEqualTo(Status.UP);
		this.there.set(false);
		Health health = impatient.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("redis", "has not answered for 0 s" + STANDSTILL);
	}

	@Test
	void aRedisThatWasNeverThereIsToldAtOnce() {
		this.there.set(false);

		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(health().getDetails()).containsEntry("redis", "has not answered since the start" + STANDSTILL);
		activity("read orders", true, Duration.ZERO, null);
		assertThat(health().getStatus()).isEqualTo(Status.DOWN);
		this.there.set(true);
		assertThat(health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void whereActivitiesCallRedisItIsNotAskedAndTheGateKeepsTheTime() {
		activity("read orders", true, Duration.ZERO, null);
		DelayQueueHealthIndicator impatient = indicator(Duration.ofMillis(20));
		assertThat(impatient.health().getStatus()).isEqualTo(Status.UP);
		int once = this.asked.get();
		this.there.set(false);
		assertThat(impatient.health().getStatus()).as("nobody has noticed").isEqualTo(Status.UP);
		this.gate.lost(new IllegalStateException("away"));
		await().until(() -> impatient.health().getStatus().equals(Status.DOWN));
		assertThat(impatient.health().getDetails()).containsKey("redis");
		assertThat(this.asked).hasValue(once);
		this.there.set(true);
		await().until(() -> impatient.health().getStatus().equals(Status.UP));
	}

	private DelayQueueHealthIndicator indicator(Duration tolerated) {
		return new DelayQueueHealthIndicator(this.activities, new RedisPresence(this.gate, () -> {
			this.asked.incrementAndGet();
			return this.there.get();
		}), tolerated);
	}

	private void activity(String name, boolean alive, Duration failingFor, @Nullable Throwable failure) {
		LoopStatus status = new LoopStatus(name, alive, (failure != null) ? 7 : 0, failingFor, failure);
		this.activities.add(status, () -> status);
	}

	private Health health() {
		return this.indicator.health();
	}

	@SuppressWarnings("unchecked")
	private Map<String, String> failing() {
		return (Map<String, String>) health().getDetails().get("failing");
	}

}
