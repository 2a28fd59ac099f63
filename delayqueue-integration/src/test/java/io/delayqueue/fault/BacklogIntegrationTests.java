package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.fault.fixture.Worker;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Very many messages that are due at one instant. */
@Tag("slow")
class BacklogIntegrationTests {

	private static final int BACKLOG = 50_000;

	private static final int LONG_MILLIS = 20;

	@Test
	@DisplayName("row 45: 50,000 messages due at one instant delay neither Redis nor another queue")
	void backlogDelaysNeitherRedisNorAnotherQueue() {
		try (RedisServer redis = RedisServer.builder()
			.setting("slowlog-log-slower-than", LONG_MILLIS * 1000)
			.setting("slowlog-max-len", 10_000)
			.start(); FaultHarness harness = new FaultHarness(redis.uri()).startWarm()) {
			Instant due = Instant.now().plusSeconds(25);
			for (int from = 0; from < BACKLOG; from += 1000) {
				harness.scheduleAll("backlog-" + from, 1000, Duration.between(Instant.now(), due));
			}
			assertThat(Instant.now()).as("all messages are scheduled before they are due").isBefore(due);
			redis.call("SLOWLOG", "RESET");
			Load load = harness.load(Worker.OTHER_QUEUE, harness.worker().other, 100);
			harness.ledger().awaitAccepted(Duration.ofMinutes(3));
			load.close();
			harness.worker().other.awaitAccepted();

			long slow = ((List<?>) Objects.requireNonNull(redis.call("SLOWLOG", "GET", "-1"))).size();
			List<Duration> otherQueue = harness.worker().other.runs()
				.stream()
				.filter((run) -> run.at().isAfter(due))
				.map(Ledger.Run::lateness)
				.sorted()
				.toList();
			Duration p99 = otherQueue.get(otherQueue.size() * 99 / 100);
			System.out.printf(
					"%,d due at one instant: handled in %d ms; %d calls over %d ms; the other queue's p99 %d ms%n",
					BACKLOG, millisUntilLast(harness, due), slow, LONG_MILLIS, p99.toMillis());
			assertThat(otherQueueMeanwhile(harness, due)).as("handled in the other queue before the backlog was")
				.isPositive();
			assertThat(harness.ledger().doubled()).isZero();
		}
	}

	private static long otherQueueMeanwhile(FaultHarness harness, Instant due) {
		Instant end = due.plusMillis(millisUntilLast(harness, due));
		return harness.worker().other.runs()
			.stream()
			.filter((run) -> run.at().isAfter(due) && run.at().isBefore(end))
			.count();
	}

	private static long millisUntilLast(FaultHarness harness, Instant due) {
		return harness.ledger()
			.runs()
			.stream()
			.mapToLong((run) -> Duration.between(due, run.at()).toMillis())
			.max()
			.orElseThrow();
	}

}
