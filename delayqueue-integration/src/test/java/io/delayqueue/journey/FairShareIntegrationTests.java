package io.delayqueue.journey;

import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The number of messages of a group with a large backlog that are handled before later
 * messages of other groups.
 */
@Tag("slow")
class FairShareIntegrationTests {

	private static final int CALM = 600;

	/** Both bounds are the same: the backlog of the large group does not matter. */
	@ParameterizedTest
	@ValueSource(ints = { 10_000, 100_000 })
	void backlogOfAGroupDoesNotDelayOtherGroups(int hot) {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())) {
			// Less than the concurrency: there is always a permit for other groups
			applications.with("delayqueue.queues.both.concurrency=10")
				.with("delayqueue.queues.both.group.max-active=5");
			ConfigurableApplicationContext context = applications.start(Both.class);
			DelayQueueOperations queues = context.getBean(DelayQueueOperations.class);
			DelayQueueAdmin admin = context.getBean(DelayQueueAdmin.class);
			// The listener makes the queue known in the background
			Awaitility.await().ignoreException(InvalidMessageException.class).until(() -> {
				admin.pause("both");
				return true;
			});
			schedule(queues, hot, (i) -> "hot", Instant.EPOCH);
			schedule(queues, CALM, (i) -> "calm-" + i, Instant.EPOCH.plusSeconds(1));
			admin.resume("both");

			Handled handled = context.getBean(Both.class).handled;
			int last = -1;
			for (int count = CALM; last < 0; count += CALM) {
				List<String> payloads = handled.await(count)
					.stream()
					.map((run) -> String.valueOf(run.payload()))
					.toList();
				if (payloads.stream().filter((payload) -> payload.equals("calm")).count() == CALM) {
					last = payloads.lastIndexOf("calm");
				}
			}
			assertThat(last).as("the last of %s messages of other groups, of %s messages in all", CALM, hot + CALM)
				.isLessThan(10 * CALM);
		}
	}

	private static void schedule(DelayQueueOperations queues, int count, Function<Integer, String> group, Instant due) {
		for (int from = 0; from < count; from += 1000) {
			queues.scheduleAll(IntStream.range(from, Math.min(count, from + 1000))
				.mapToObj((i) -> ScheduleRequest.to("both")
					.group(group.apply(i))
					.payload(group.apply(i).split("-")[0])
					.dueAt(due))
				.toList());
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class Both {

		final Handled handled = new Handled();

		@DelayedListener(queue = "both")
		void handle(DelayedMessage<String> message) {
			this.handled.add(message);
		}

	}

}
