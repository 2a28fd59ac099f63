package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
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

	@Test
	void aGroupThatHasVeryManyDoesNotHoldUpTheOthers() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			Both both = applications.start(Both.class).getBean(Both.class);
			DelayQueueOperations queues = applications.producer();
			lateness(queues, both, "warm-up", Instant.now().plusSeconds(1));
			List<Duration> alone = lateness(queues, both, "alone", Instant.now().plusSeconds(1));

			Instant due = Instant.now().plusSeconds(40);
			scheduleMany(queues, "hot", due);
			List<Duration> beside = lateness(queues, both, "beside", due);
			long left = queues.countGroup("both", "hot");
			queues.cancelGroup("both", "hot");

			due = Instant.now().plusSeconds(40);
			scheduleMany(queues, null, due);
			List<Duration> unfair = lateness(queues, both, "unfair", due);

			System.out.printf(
					"p50, p99, worst in ms: alone %s, beside %,d of one group (%,d left) %s, without groups %s%n",
					figures(alone), HOT, left, figures(beside), figures(unfair));
			assertThat(left).as("the group still has very many when the others are through").isGreaterThan(HOT / 10);
			assertThat(percentile(beside, 99)).as("beside what it is without groups")
				.isLessThan(percentile(unfair, 99).dividedBy(10));
		}
	}

	private static void scheduleMany(DelayQueueOperations queues, @Nullable String group, Instant due) {
		for (int from = 0; from < HOT; from += 1000) {
			queues.scheduleAll(IntStream.range(from, from + 1000).mapToObj((i) -> {
				ScheduleRequest request = ScheduleRequest.to("both").payload("hot").dueAt(due);
				return (group != null) ? request.group(group) : request;
			}).toList());
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
		return both.calm.runs()
			.stream()
			.filter((run) -> run.id().startsWith(name))
			.map(Handled.Run::lateness)
			.sorted()
			.toList();
	}

	private static Duration percentile(List<Duration> sorted, int percent) {
		return sorted.get(sorted.size() * percent / 100);
	}

	private static String figures(List<Duration> sorted) {
		return "%d %d %d".formatted(percentile(sorted, 50).toMillis(), percentile(sorted, 99).toMillis(),
				sorted.get(sorted.size() - 1).toMillis());
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
