package io.delayqueue.journey;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueMdc;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Batches.Run;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;

/** Which messages form a batch, when it is handled, and how many batches run at once. */
class BatchIntegrationTests extends BatchJourney {

	@Test
	void noBatchExceedsItsSizeOrMixesGroups() {
		start("batch=16", "delayqueue.defaults.partitions=3");
		Instant due = Instant.now().plusSeconds(1);
		List<ScheduleRequest> requests = IntStream.range(0, 1000)
			.mapToObj((i) -> inGroup(request("grouped", "m-" + i).dueAt(due.plusMillis(i % 5)), i % 8))
			.toList();

		this.queue.scheduleAll(requests);

		List<Run> runs = this.batches.await(1000);
		assertThat(this.batches.ids()).hasSize(1000).doesNotHaveDuplicates();
		assertThat(runs).allSatisfy((run) -> {
			assertThat(run.messages()).hasSizeBetween(1, 16);
			assertThat(run.groups()).hasSize(1);
			assertThat(run.messages())
				.isSortedAccordingTo(Comparator.<DelayedMessage<String>, Instant>comparing(DelayedMessage::dueAt)
					.thenComparing(DelayedMessage::id));
			assertThat(run.messages()).allMatch((message) -> !run.at().isBefore(message.dueAt()));
		});
		assertThat(runs).as("full").anyMatch((run) -> run.messages().size() == 16);
		assertThat(runs).extracting(Run::groups).as("with and without a group").contains(List.of(groupOf(0)));
		awaitEmpty("grouped");
		DistributionSummary sizes = this.context.getBean(MeterRegistry.class)
			.get("delayqueue.batch.size")
			.tag("queue", "grouped")
			.summary();
		assertThat(sizes.count()).isEqualTo(runs.size());
		assertThat(sizes.totalAmount()).isEqualTo(1000);
		assertThat(sizes.max()).isEqualTo(16);
	}

	@Test
	void partialBatchIsHandledAfterItsWait() {
		start("batch-wait=400ms");
		Instant began = Instant.now();
		schedule("plain", "a", "b", "c");

		Run run = this.batches.await(3).get(0);

		assertThat(run.ids()).containsExactly("a", "b", "c");
		assertThat(Duration.between(began, run.at())).isGreaterThanOrEqualTo(Duration.ofMillis(400));
	}

	@Test
	void fullBatchIsHandledAtOnce() {
		start("batch=4", "batch-wait=" + NEVER);
		schedule("grouped", "waits");
		awaitPending("grouped", 1);
		schedule("plain", "a", "b", "c", "d");

		Run run = this.batches.await(4).get(0);

		assertThat(run.ids()).containsExactly("a", "b", "c", "d");
	}

	@Test
	void messagesOfOneReadAreHandledAtOnceWithoutAWait() {
		start("batch=100", "batch-wait=");
		scheduleMany("plain", "m", 100);

		List<Run> runs = this.batches.await(100);

		assertThat(this.batches.ids()).hasSize(100).doesNotHaveDuplicates();
		assertThat(runs).as("together").hasSizeLessThan(50);
	}

	@Test
	void groupWithOneMessageDoesNotDelayOtherGroups() {
		start("batch=8", "batch-concurrency=8", "batch-wait=" + NEVER);
		this.queue.schedule(request("grouped", "lonely").group("lonely").delay(Duration.ZERO));
		awaitPending("grouped", 1);
		// Seven messages at a time, because the eighth permit is taken
		for (int i = 0; i < 35; i++) {
			this.queue.schedule(request("grouped", "m-" + i).group("busy").delay(Duration.ZERO));
		}

		this.batches.await(35);

		assertThat(this.batches.ids()).hasSize(35).doesNotContain("lonely").doesNotHaveDuplicates();
	}

	@Test
	void suspectIsABatchOfOneAndRunsAlone() {
		DelayQueueOperations producer = this.applications.producer();
		for (int i = 0; i < 12; i++) {
			producer.schedule(request("plain", "m-" + i).delay(Duration.ZERO));
		}
		Set<String> suspects = Set.of("m-3", "m-7");
		suspects.forEach((id) -> this.redis.call("HSET", key("plain", "failures"), id, "0|2|0||"));
		AtomicInteger running = new AtomicInteger();
		List<String> together = new CopyOnWriteArrayList<>();
		start();
		this.batches.behaviour = (batch) -> {
			int concurrent = running.getAndIncrement();
			try {
				if (batch.stream().anyMatch((message) -> suspects.contains(message.id())) && concurrent > 0) {
					together.addAll(batch.stream().map(DelayedMessage::id).toList());
				}
			}
			finally {
				running.decrementAndGet();
			}
			return null;
		};

		List<Run> runs = this.batches.await(12);

		awaitEmpty("plain");
		assertThat(this.batches.ids()).hasSize(12).doesNotHaveDuplicates();
		assertThat(runs).filteredOn((run) -> run.ids().stream().anyMatch(suspects::contains))
			.hasSize(2)
			.allSatisfy((run) -> assertThat(run.ids()).hasSize(1));
		assertThat(together).isEmpty();
	}

	@Test
	void permitsCountMessagesAndLimitTheNumberOfBatches() {
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch two = new CountDownLatch(2);
		start("batch=4", "batch-concurrency=10", "batch-wait=10ms");
		this.batches.behaviour = (batch) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			two.countDown();
			assertThat(two.await(2, TimeUnit.MINUTES)).isTrue();
			assertThat(pending("plain")).as("being handled, and as many being settled").isLessThanOrEqualTo(2 * 10);
			running.decrementAndGet();
			return null;
		};
		scheduleMany("plain", "m", 200);

		this.batches.await(200);

		awaitEmpty("plain");
		assertThat(most).hasValue(2);
		assertThat(this.batches.ids()).as("none failed").hasSize(200);
		assertThat(this.batches.runs).allMatch((run) -> run.messages().size() <= 4);
	}

	@Test
	void logContextOfABatchHasTheQueueAndNoMessage() {
		List<String> contexts = new CopyOnWriteArrayList<>();
		start();
		this.batches.behaviour = (batch) -> {
			contexts.add(MDC.get(DelayQueueMdc.QUEUE) + " " + MDC.get(DelayQueueMdc.ID));
			return null;
		};
		schedule("plain", "a", "b");

		this.batches.await(2);

		awaitEmpty("plain");
		assertThat(contexts).containsExactly("plain null");
	}

	@Test
	void listenerWithoutAConcurrencyHasPermitsForTwoBatches() {
		start("batch=8", "batch-wait=0");
		CountDownLatch go = new CountDownLatch(1);
		this.batches.behaviour = (batch) -> {
			assertThat(go.await(2, TimeUnit.MINUTES)).isTrue();
			return null;
		};
		scheduleMany("plain", "m", 40);

		awaitPending("plain", 16);

		go.countDown();
		this.batches.await(40);
		awaitEmpty("plain");
	}

	/** Group 0 stands for no group. */
	private static ScheduleRequest inGroup(ScheduleRequest request, int group) {
		return (group > 0) ? request.group("g-" + group) : request;
	}

	private static Optional<String> groupOf(int group) {
		return (group > 0) ? Optional.of("g-" + group) : Optional.empty();
	}

}
