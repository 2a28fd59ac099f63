package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How late the messages of other groups come while one group has 100,000 that are due,
 * beside how late they come without it, in one run.
 */
@Tag("slow")
class FairShareIntegrationTests {

	private static final int HOT = 100_000;

	private static final int CALM = 600;

	private static final int ROUNDS = 5;

	@Test
	void aGroupThatHasVeryManyDoesNotHoldUpTheOthers() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			// Less than the concurrency: there is always a place for others
			applications.with("delayqueue.queues.both.concurrency=10")
				.with("delayqueue.queues.both.group.max-active=5");
			Both both = applications.start(Both.class).getBean(Both.class);
			DelayQueueOperations queues = applications.producer();
			lateness(queues, both, "warm-up", Instant.now().plusSeconds(1));
			List<List<Duration>> alone = new ArrayList<>();
			List<List<Duration>> beside = new ArrayList<>();
			for (int round = 0; round < ROUNDS; round++) {
				alone.add(lateness(queues, both, "alone-" + round, Instant.now().plusSeconds(1)));

				Instant due = Instant.now().plusSeconds(30);
				scheduleMany(queues, due);
				assertThat(Instant.now()).as("all is scheduled before it is due").isBefore(due);
				beside.add(lateness(queues, both, "beside-" + round, due));
				assertThat(queues.countGroup("both", "hot")).as("left when the others are through")
					.isGreaterThan(HOT / 2);
				queues.cancelGroup("both", "hot");
			}
			System.out.printf("p50, p99, worst in us: alone %s, beside %,d of one group %s%n", figures(alone), HOT,
					figures(beside));
			assertThat(median(beside)).as("median p99 of the others, alone " + median(alone))
				.isLessThanOrEqualTo(median(alone).multipliedBy(2));
		}
	}

	private static void scheduleMany(DelayQueueOperations queues, Instant due) {
		for (int from = 0; from < HOT; from += 1000) {
			queues.scheduleAll(IntStream.range(from, from + 1000)
				.mapToObj((i) -> ScheduleRequest.to("both").group("hot").payload("hot").dueAt(due))
				.toList());
		}
	}

	private static List<Duration> lateness(DelayQueueOperations queues, Both both, String name, Instant first) {
		queues.scheduleAll(IntStream.range(0, CALM)
			.mapToObj((i) -> ScheduleRequest.to("both")
				.id(name + "-" + i)
				.group("calm-" + i)
				.payload("calm")
				.dueAt(first.plusMillis(5L * i)))
			.toList());
		Awaitility.await()
			.atMost(Duration.ofSeconds(300))
			.until(() -> both.calm.runs().stream().filter((run) -> run.id().startsWith(name)).count() == CALM);
		return both.calm.runs().stream().filter((run) -> run.id().startsWith(name)).map(Handled.Run::lateness).toList();
	}

	private static Duration percentile(List<Duration> all, int percent) {
		List<Duration> sorted = all.stream().sorted().toList();
		return sorted.get(Math.min(sorted.size() * percent / 100, sorted.size() - 1));
	}

	/** The median of the rounds' p99: one round may meet a pause of the process. */
	private static Duration median(List<List<Duration>> rounds) {
		return percentile(rounds.stream().map((round) -> percentile(round, 99)).toList(), 50);
	}

	private static String figures(List<List<Duration>> rounds) {
		return rounds.stream()
			.map((round) -> IntStream.of(50, 99, 100)
				.mapToObj((percent) -> Long.toString(percentile(round, percent).toNanos() / 1000))
				.collect(Collectors.joining("/")))
			.collect(Collectors.joining(" "));
	}

	@Configuration(proxyBeanMethods = false)
	static class Both {

		final Handled calm = new Handled();

		/** Takes a millisecond, as a handler that does something. */
		@DelayedListener(queue = "both")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			TimeUnit.MILLISECONDS.sleep(1);
			if (message.payload().equals("calm")) {
				this.calm.add(message);
			}
		}

	}

}
