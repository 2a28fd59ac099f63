package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes that take batches from one queue while their connections are cut. Some
 * batches fail in part and some as a whole.
 */
@Tag("slow")
class BatchRaceIntegrationTests {

	private static final int ROUNDS = 6;

	private static final int A_ROUND = 300;

	private static final int MOST = 16;

	private static final int GROUPS = 5;

	@Test
	void everyMessageSucceedsOnceInABatchOfItsGroup() {
		try (RedisServer redis = RedisServer.builder().start();
				TestApplication applications = new TestApplication(redis.uri())
					.with("delayqueue.defaults.visibility-timeout=10s")
					.with("delayqueue.defaults.partitions=2")
					// All messages of a batch fail when the batch fails, also repeatedly
					.with("delayqueue.defaults.max-attempts=1000")
					.with("delayqueue.defaults.back-off.first=50ms")) {
			DelayQueueOperations producer = applications.producer();
			List<Batching> both = List.of(batching(applications), batching(applications));
			Ledger ledger = new Ledger();
			both.forEach((one) -> one.ledger = ledger);

			for (int round = 0; round < ROUNDS; round++) {
				Instant due = Instant.now().plusMillis(200);
				int first = round * A_ROUND;
				List<ScheduleRequest> requests = IntStream.range(first, first + A_ROUND)
					.mapToObj((i) -> inGroup(ScheduleRequest.to("race").payload(i), i % GROUPS)
						.dueAt(due.plusMillis(i % 100)))
					.toList();
				ledger.entered(requests, producer.scheduleAll(requests));
				Awaitility.await().until(() -> ledger.runs().size() > first);
				redis.call("CLIENT", "KILL", "TYPE", "normal");
			}

			ledger.awaitAccepted();
			ledger.assertTrue();
			Awaitility.await().until(() -> messages(applications, redis) == 0);
			assertThat(ledger.accepted()).hasSize(ROUNDS * A_ROUND);
			assertThat(ledger.doubled()).as("succeeded twice").isZero();
			assertThat(both).allSatisfy((one) -> {
				assertThat(one.batches).as("both work").isNotEmpty();
				assertThat(one.batches).allSatisfy((batch) -> {
					assertThat(batch).hasSizeBetween(1, MOST);
					assertThat(batch.stream().map(DelayedMessage::group).distinct()).hasSize(1);
				});
			});
			assertThat(both.stream().flatMap((one) -> one.batches.stream()))
				.anyMatch((batch) -> batch.get(0).group().equals(Optional.empty()));
		}
	}

	private static Batching batching(TestApplication applications) {
		ConfigurableApplicationContext context = applications.start(Batching.class);
		return context.getBean(Batching.class);
	}

	/** Group 0 stands for no group. */
	private static ScheduleRequest inGroup(ScheduleRequest request, int group) {
		return (group > 0) ? request.group("g-" + group) : request;
	}

	private static long messages(TestApplication applications, RedisServer redis) {
		return IntStream.range(0, 2)
			.mapToLong((partition) -> Long.parseLong(
					String.valueOf(redis.call("HLEN", applications.prefix() + ":{race:" + partition + "}:messages"))))
			.sum();
	}

	static class Batching {

		final Queue<List<DelayedMessage<Integer>>> batches = new ConcurrentLinkedQueue<>();

		volatile Ledger ledger = new Ledger();

		/** Records successes only. */
		@DelayedListener(queue = "race", batch = "16", batchWait = "50ms", groupBy = true, concurrency = "64")
		void handle(List<DelayedMessage<Integer>> batch) {
			this.batches.add(batch);
			if (batch.stream().anyMatch((message) -> message.payload() % 50 == 0 && message.attempt() == 1)) {
				throw new IllegalStateException("the whole batch");
			}
			BatchFailedException failed = new BatchFailedException();
			for (DelayedMessage<Integer> message : batch) {
				if (message.payload() % 7 == 0 && message.attempt() == 1) {
					failed.failed(message.id(), new IllegalStateException("one of them"));
				}
				else if (message.payload() % 11 == 0 && System.nanoTime() % 2 == 0) {
					failed.failed(message.id(), new DeferException(Duration.ofMillis(20)));
				}
				else {
					this.ledger.began(message);
				}
			}
			failed.throwIfAny();
		}

	}

}
