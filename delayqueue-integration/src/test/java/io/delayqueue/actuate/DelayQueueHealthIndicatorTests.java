package io.delayqueue.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.delayqueue.queue.Partition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

/**
 * Health of the activities of a process and of its Redis.
 */
class DelayQueueHealthIndicatorTests {

	private static final String STANDSTILL = ": this process delivers no messages until Redis answers; is Redis running, and is"
			+ " spring.data.redis.* its address?";

	private static final Duration TOO_LONG = Duration.ofSeconds(61);

	@RegisterExtension
	final TestProcess process = new TestProcess();

	@Test
	void healthIsUpWhileAllActivitiesRun() {
		this.process.activity("read orders", Duration.ZERO, null);
		this.process.activity("settle orders", Duration.ZERO, null);

		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails()).containsExactly(entry("queues", Map.of()),
				entry("eviction", "noeviction"));
	}

	@Test
	void serverFaultsAreReportedUntilTheyAreFixed() {
		this.process.faults("The Redis user lacks the right to run [xadd]. Grant it.");

		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.process.health().getDetails()).containsEntry("faults",
				List.of("The Redis user lacks the right to run [xadd]. Grant it."));
		this.process.faults();
		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void aForeignLayoutIsReportedForConsumedQueuesOnly() {
		this.process.foreignLayouts(Map.of(new Partition("orders", 3), "LAYOUT 2 is stored, 1 is known"));
		assertThat(this.process.health().getStatus()).as("of a process that only schedules").isEqualTo(Status.UP);

		this.process.consume("orders", null);

		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.process.health().getDetails().get("layouts")).isEqualTo(Map
			.of("orders:3", "not used, because its keys have the layout of another version of this library"
					+ " (LAYOUT 2 is stored, 1 is known); stop this process when processes of the other version run"));
		this.process.foreignLayouts(Map.of());
		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void failuresWithinTheToleranceAreNotReported() {
		this.process.activity("read orders", TestProcess.TOLERATED, new IllegalStateException("no"));

		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails()).containsOnlyKeys("queues", "eviction");
	}

	@Test
	void longerFailuresAreReportedWithTheirReason() {
		this.process.activity("read orders", TOO_LONG, new IllegalStateException("no right to read"));
		this.process.activity("read pushes", Duration.ZERO, null);

		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(failing()).containsExactly(entry("read orders",
				"failed 7 times in the last 61 s and goes on trying: IllegalStateException: no right to read"));
	}

	@Test
	void reasonsAreShortSingleLinesWithoutSecrets() {
		this.process.activity("a", TOO_LONG,
				new IllegalStateException("redis://app:pass@word@host:6379/0 is away\n\tat x"));
		this.process.activity("b", TOO_LONG, new IllegalStateException("x".repeat(1000)));
		this.process.activity("c", TOO_LONG, new IllegalStateException());

		assertThat(failing().get("a")).endsWith("IllegalStateException: redis://***@host:6379/0 is away");
		assertThat(failing().get("b")).hasSizeLessThan(600).endsWith("...");
		assertThat(failing().get("c")).endsWith(": IllegalStateException");
		assertThat(this.process.health().getDetails().toString()).doesNotContain("word");
	}

	@Test
	void withoutActivitiesHealthChecksRedisItself() {
		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		this.process.redisIsThere(false);
		assertThat(this.process.health().getStatus()).as("it answered a moment ago").isEqualTo(Status.UP);

		DelayQueueHealthIndicator impatient = this.process.indicator(Duration.ZERO);
		this.process.redisIsThere(true);
		assertThat(impatient.health().getStatus()).isEqualTo(Status.UP);
		this.process.redisIsThere(false);
		Health health = impatient.health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails()).containsEntry("redis", "has not answered for 0 s" + STANDSTILL);
	}

	@Test
	void aRedisThatHasNeverAnsweredIsReportedAtOnce() {
		this.process.redisIsThere(false);

		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(this.process.health().getDetails()).containsEntry("redis",
				"has not answered since the start" + STANDSTILL);
		this.process.activity("read orders", Duration.ZERO, null);
		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		this.process.redisIsThere(true);
		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void withActivitiesTheGateMeasuresTheOutageWithoutAPing() {
		this.process.activity("read orders", Duration.ZERO, null);
		DelayQueueHealthIndicator impatient = this.process.indicator(Duration.ofMillis(20));
		assertThat(impatient.health().getStatus()).isEqualTo(Status.UP);
		int once = this.process.pings();
		this.process.redisIsThere(false);
		assertThat(impatient.health().getStatus()).as("the gate is open").isEqualTo(Status.UP);
		this.process.redisIsLost();
		await().until(() -> impatient.health().getStatus().equals(Status.DOWN));
		assertThat(impatient.health().getDetails()).containsKey("redis");
		assertThat(this.process.pings()).isEqualTo(once);
		this.process.redisIsThere(true);
		await().until(() -> impatient.health().getStatus().equals(Status.UP));
	}

	@SuppressWarnings("unchecked")
	private Map<String, String> failing() {
		return (Map<String, String>) this.process.health().getDetails().get("failing");
	}

}
