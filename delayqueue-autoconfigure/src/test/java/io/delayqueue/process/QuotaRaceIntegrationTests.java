package io.delayqueue.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

import io.delayqueue.process.fixture.Racing;
import io.delayqueue.process.fixture.Scene;
import io.delayqueue.process.fixture.WorkerProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes with 25 threads each compete for the slots of 1,000 users, and are
 * killed.
 */
class QuotaRaceIntegrationTests {

	private static final int TRIES = 3000;

	private static final String[] QUOTAS = { "delayqueue.queues.three.group.quota=3",
			"delayqueue.queues.one.group.quota=1", "delayqueue.defaults.back-off.first=50ms",
			"delayqueue.maintenance.interval=1d" };

	@Test
	void quotaIsNeverExceededAndNoSlotIsLost() {
		try (Scene scene = new Scene()) {
			Most most = new Most(scene);
			for (int round = 0; round < 2; round++) {
				WorkerProcess one = scene.launch(Racing.class, "one-" + round, QUOTAS);
				WorkerProcess other = scene.launch(Racing.class, "other-" + round, QUOTAS);
				most.watchUntil(() -> tried(scene, one) >= TRIES && tried(scene, other) >= TRIES);
				one.kill();
				most.watchUntil(() -> tried(scene, other) >= 2 * TRIES);
				other.kill();
			}
			assertThat(most.of("three")).as("some user's quota of 3 was used up, and never more").isEqualTo(3);
			assertThat(most.of("one")).as("some user's quota of 1 was used up, and never more").isEqualTo(1);

			List<String> onlyHandles = new ArrayList<>(List.of(QUOTAS));
			onlyHandles.add("racing.schedules=false");
			scene.launch(Racing.class, "survivor", onlyHandles.toArray(String[]::new));
			for (String queue : List.of("three", "one")) {
				Awaitility.await(queue + " is empty").until(() -> scene.size("HLEN", queue, "messages") == 0);
				assertThat(scene.size("ZCARD", queue, "groups")).as("slots without a message in " + queue).isZero();
				assertThat(scene.size("HLEN", queue, "grouped")).isZero();
				assertThat(scene.size("ZCARD", queue, "active")).isZero();
				assertThat(scene.size("ZCARD", queue, "parked")).isZero();
			}
		}
	}

	private static long tried(Scene scene, WorkerProcess process) {
		return scene.lines((line) -> line.event().equals("tried") && line.process().equals(process.name()))
			.stream()
			.mapToLong((line) -> Long.parseLong(line.more()))
			.max()
			.orElse(0);
	}

	/** The highest number of messages of one user at any moment, by queue. */
	private static final class Most {

		private final Scene scene;

		private long three;

		private long one;

		Most(Scene scene) {
			this.scene = scene;
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
				.requireNonNull(this.scene.redis().call("HVALS", Scene.key(queue, "messages")));
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
