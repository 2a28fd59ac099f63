package io.delayqueue.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.delayqueue.process.fixture.ProcessHarness;
import io.delayqueue.process.fixture.RacingApplication;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes with 25 threads each compete for the slots of 1,000 users, and are
 * killed.
 */
@Tag("slow")
class QuotaRaceIntegrationTests {

	private static final int TRIES = 3000;

	private static final String[] QUOTAS = { "delayqueue.queues.three.group.quota=3",
			"delayqueue.queues.one.group.quota=1", "delayqueue.defaults.back-off.first=50ms",
			"delayqueue.maintenance.interval=1d" };

	@Test
	void quotaIsNeverExceededAndNoSlotIsLost() {
		try (ProcessHarness harness = new ProcessHarness()) {
			Most most = new Most(harness);
			for (int round = 0; round < 2; round++) {
				WorkerProcess one = harness.launch(RacingApplication.class, "one-" + round, QUOTAS);
				WorkerProcess other = harness.launch(RacingApplication.class, "other-" + round, QUOTAS);
				most.watchUntil(() -> tried(harness, one) >= TRIES && tried(harness, other) >= TRIES);
				one.kill();
				most.watchUntil(() -> tried(harness, other) >= 2 * TRIES);
				other.kill();
			}
			assertThat(most.of("three")).as("some user's quota of 3 was used up, and never more").isEqualTo(3);
			assertThat(most.of("one")).as("some user's quota of 1 was used up, and never more").isEqualTo(1);

			List<String> onlyHandles = new ArrayList<>(List.of(QUOTAS));
			onlyHandles.add("racing.schedules=false");
			harness.launch(RacingApplication.class, "survivor", onlyHandles.toArray(String[]::new));
			for (String queue : List.of("three", "one")) {
				Awaitility.await(queue + " is empty").until(() -> harness.size("HLEN", queue, "messages") == 0);
				assertThat(harness.size("ZCARD", queue, "groups")).as("slots without a message in " + queue).isZero();
				assertThat(harness.size("HLEN", queue, "grouped")).isZero();
				assertThat(harness.size("ZCARD", queue, "active")).isZero();
				assertThat(harness.size("ZCARD", queue, "parked")).isZero();
			}
		}
	}

	private static long tried(ProcessHarness harness, WorkerProcess process) {
		return harness.lines((line) -> line.event().equals("tried") && line.process().equals(process.name()))
			.stream()
			.mapToLong((line) -> Long.parseLong(line.more()))
			.max()
			.orElse(0);
	}

	/** The highest number of messages of one user at any moment, by queue. */
	private static final class Most {

		private final ProcessHarness harness;

		private long three;

		private long one;

		Most(ProcessHarness harness) {
			this.harness = harness;
		}

		long of(String queue) {
			return queue.equals("three") ? this.three : this.one;
		}

		void watchUntil(Callable<Boolean> end) {
			Awaitility.await().pollInSameThread().pollInterval(Duration.ofMillis(1)).until(() -> {
				this.three = Math.max(this.three, now("three"));
				this.one = Math.max(this.one, now("one"));
				return end.call();
			});
		}

		/**
		 * Counts the records themselves, all of one instant, whose payload is the user.
		 */
		private long now(String queue) {
			List<?> records = (List<?>) Objects
				.requireNonNull(this.harness.redis().call("HVALS", ProcessHarness.key(queue, "messages")));
			return records.stream()
				.map(String::valueOf)
				.collect(Collectors.groupingBy((record) -> record.substring(record.lastIndexOf('\n')),
						Collectors.counting()))
				.values()
				.stream()
				.mapToLong(Long::longValue)
				.max()
				.orElse(0);
		}

	}

}
