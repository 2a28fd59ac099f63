package io.delayqueue.actuate;

import java.time.Duration;
import java.util.Map;

import io.delayqueue.observe.QueueStatistics.Stock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Health of the queues that a process consumes, in particular of late queues.
 */
class LateQueuesHealthTests {

	@RegisterExtension
	final TestProcess process = new TestProcess();

	@Test
	void aHeldQueueIsNotLate() {
		this.process.consume("held", new Stock(5, 0, 5, 0, 0, 0, Duration.ofSeconds(400), Duration.ZERO, Duration.ZERO,
				Duration.ofMillis(90_000), 0, Duration.ZERO));
		this.process.consume("groups", new Stock(5, 5, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO,
				Duration.ZERO, 2, Duration.ZERO));

		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails().get("queues").toString()).contains("heldForMillis=90000",
				"heldGroups=2");
	}

	@Test
	void aLateQueueIsReportedWithTheCause() {
		this.process.consume("orders", stock(Duration.ofSeconds(312), 990, false));
		this.process.consume("unswept", new Stock(5, 0, 5, 0, 0, 0, Duration.ofSeconds(400), Duration.ZERO,
				Duration.ZERO, Duration.ZERO, 0, Duration.ZERO));
		this.process.consume("fine", new Stock(5, 0, 0, 3, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO,
				Duration.ZERO, 0, Duration.ZERO));

		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(late()).containsOnlyKeys("orders", "unswept");
		assertThat(late().get("orders"))
			.startsWith("the oldest undelivered message of the queue has been due for 5m 12s, longer than")
			.contains("delayqueue.health.max-overdue", "handlers do not keep up with the 1000 messages before it",
					"concurrency");
		assertThat(late().get("unswept")).contains("6m 40s", "no sweeper is active", "delayqueue.sweeper.enabled");
		assertThat(this.process.health().getDetails().get("queues").toString())
			.contains("orders={listener=running, scheduled=1000,"
					+ " overdue=900, ready=990, pending=10, dead=0, oldestOverdueMillis=312000}");
	}

	@Test
	void aRecurringScheduleThatIsLateByMoreThanAMinuteMakesItsQueueLate() {
		this.process.consume("digests", recurring(Duration.ofSeconds(75)));
		this.process.consume("fine", recurring(Duration.ofSeconds(60)));

		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		assertThat(late()).containsOnlyKeys("digests");
		assertThat(late().get("digests"))
			.startsWith("the next occurrence of a recurring schedule has not been stored for 1m 15s");
	}

	private static Stock recurring(Duration late) {
		return new Stock(1, 0, 0, 0, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, 0, late);
	}

	@Test
	void aThresholdOfZeroDisablesTheCheck() {
		this.process.consume("orders", stock(Duration.ofDays(3), 0, false));

		assertThat(this.process.indicator(new HealthSettings(Duration.ZERO, TestProcess.TOLERATED, true))
			.health()
			.getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void onlyTimeInWhichTheQueueCouldBeConsumedCounts() {
		this.process.consume("orders", stock(Duration.ofDays(3), 990, false));
		DelayQueueHealthIndicator patient = this.process
			.indicator(new HealthSettings(Duration.ofMinutes(5), TestProcess.TOLERATED, true));
		assertThat(patient.health().getStatus()).as("the listener started a moment ago").isEqualTo(Status.UP);

		DelayQueueHealthIndicator quick = this.process
			.indicator(new HealthSettings(Duration.ofSeconds(1), TestProcess.TOLERATED, true));
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));
		this.process.stock("orders", stock(Duration.ofDays(3), 990, true));
		assertThat(quick.health().getStatus()).as("a paused queue").isEqualTo(Status.UP);
		assertThat(quick.health().getDetails().get("queues").toString()).contains("paused=true");
		this.process.stock("orders", stock(Duration.ofDays(3), 990, false));
		assertThat(quick.health().getStatus()).as("the pause has just ended").isEqualTo(Status.UP);
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));
	}

	@Test
	void outagesOfRedisDoNotCountAsLateness() {
		this.process.consume("orders", stock(Duration.ofDays(3), 990, false));
		this.process.activity("read orders", Duration.ZERO, null);
		DelayQueueHealthIndicator quick = this.process
			.indicator(new HealthSettings(Duration.ofSeconds(1), TestProcess.TOLERATED, true));
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));

		this.process.redisIsLost();
		assertThat(quick.health().getStatus()).as("while Redis is unavailable").isEqualTo(Status.UP);
		this.process.redisIsThere(true);
		await().until(this.process::isGateOpen);
		assertThat(quick.health().getStatus()).as("Redis has just returned").isEqualTo(Status.UP);
		await().until(() -> quick.health().getStatus().equals(Status.DOWN));
	}

	@Test
	void aQueueWithoutCountsIsNotReported() {
		this.process.consume("orders", null);

		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails()).containsEntry("queues",
				Map.of("orders", Map.of("listener", "running", "holds", "unknown")));
	}

	@Test
	void aQueueThatIsNoLongerConsumedIsNotReported() {
		this.process.consume("orders", stock(Duration.ofDays(3), 990, false));
		assertThat(this.process.health().getStatus()).isEqualTo(Status.DOWN);
		this.process.notConsuming("orders");

		assertThat(this.process.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.process.health().getDetails()).containsEntry("queues", Map.of());
	}

	@SuppressWarnings("unchecked")
	private Map<String, String> late() {
		return (Map<String, String>) this.process.health().getDetails().get("late");
	}

	private static Stock stock(Duration overdueAge, long ready, boolean paused) {
		return new Stock(1000, 0, 900, ready, 10, 0, overdueAge, paused ? Duration.ofSeconds(1) : Duration.ZERO,
				Duration.ZERO, Duration.ZERO, 0, Duration.ZERO);
	}

}
