package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.delayqueue.BatchFailedException;
import io.delayqueue.DeferException;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RetryAfterException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.journey.fixture.Batches.Run;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The outcome of the messages of a batch that fails as a whole or in part. */
@Tag("slow")
class BatchOutcomeIntegrationTests extends BatchJourney {

	@Test
	void namedMessagesFailAndOtherMessagesAreAcknowledged() {
		start("delayqueue.defaults.max-attempts=2");
		this.batches.behaviour = (batch) -> {
			BatchFailedException failed = new BatchFailedException();
			boolean first = this.batches.runs.size() == 1;
			for (DelayedMessage<String> message : batch) {
				if (message.id().equals("always")) {
					failed.failed("always", new IllegalStateException("no way"));
				}
				else if (first && message.id().equals("deferred")) {
					failed.failed("deferred", new DeferException(Duration.ofMillis(100)));
				}
				else if (first && message.id().equals("later")) {
					failed.failed("later", new RetryAfterException(Duration.ofSeconds(1), "wait"));
				}
			}
			failed.throwIfAny();
			return null;
		};
		schedule("plain", "always", "deferred", "fine", "good", "later");

		List<Run> runs = this.batches.await(8);

		assertThat(runs.get(0).ids()).containsExactly("always", "deferred", "fine", "good", "later");
		assertThat(attemptsOf("fine")).containsExactly(1);
		assertThat(attemptsOf("good")).containsExactly(1);
		assertThat(attemptsOf("always")).containsExactly(1, 2);
		assertThat(attemptsOf("deferred")).containsExactly(1, 1);
		assertThat(attemptsOf("later")).containsExactly(1, 2);
		assertThat(awaitDead("plain", "always")).contains("HANDLER_FAILED", "no way");
		awaitMessages("plain", 1);
		Run ofLater = runs.stream().skip(1).filter((run) -> run.ids().contains("later")).findFirst().orElseThrow();
		assertThat(Duration.between(runs.get(0).at(), ofLater.at())).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
	}

	@Test
	void failedBatchIsAFailureOfEachOfItsMessages() {
		start();
		this.batches.behaviour = (batch) -> {
			if (batch.stream().anyMatch((message) -> message.attempt() == 1)) {
				throw new IllegalStateException("not yet");
			}
			return null;
		};
		schedule("plain", "a", "b", "c");

		this.batches.await(6);

		for (String id : List.of("a", "b", "c")) {
			assertThat(attemptsOf(id)).containsExactly(1, 2);
		}
		awaitEmpty("plain");
		assertThat(handled("retry")).isEqualTo(3);
		assertThat(handled("success")).isEqualTo(3);
	}

	@Test
	void poisonMessageDoesNotFailOtherMessagesForGood() {
		start("batch=50", "delayqueue.defaults.max-attempts=2");
		this.batches.behaviour = (batch) -> {
			if (batch.stream().anyMatch((message) -> message.id().equals("m-13"))) {
				throw new IllegalStateException("m-13 is among them");
			}
			return null;
		};
		scheduleMany("plain", "m", 200);

		assertThat(awaitDead("plain", "m-13")).contains("HANDLER_FAILED", "m-13 is among them");

		awaitMessages("plain", 1);
		assertThat(this.batches.runs)
			.filteredOn((run) -> run.messages().stream().anyMatch((message) -> message.attempt() > 1))
			.isNotEmpty()
			.allSatisfy((run) -> assertThat(run.messages()).hasSize(1));
	}

	@Test
	void namingAMessageOutsideTheBatchFailsTheWholeBatch() {
		start("delayqueue.defaults.max-attempts=1");
		this.batches.behaviour = (batch) -> {
			throw new BatchFailedException().failed("a", new IllegalStateException("a alone"))
				.failed("unknown", new IllegalStateException("unknown"));
		};
		schedule("plain", "a", "b");

		for (String id : List.of("a", "b")) {
			assertThat(awaitDead("plain", id))
				.contains("which is not in its batch: so the whole batch counts as failed");
		}
	}

	@Test
	void namingNoMessageFailsTheWholeBatch() {
		start("delayqueue.defaults.max-attempts=1");
		this.batches.behaviour = (batch) -> {
			throw new BatchFailedException();
		};
		schedule("plain", "a", "b");

		for (String id : List.of("a", "b")) {
			assertThat(awaitDead("plain", id)).contains("without naming a failed message");
		}
	}

	@Test
	void unreadableMessageDoesNotFailItsBatch() {
		start();
		this.queue.scheduleAll(List.of(request("plain", "a").delay(Duration.ZERO),
				ScheduleRequest.to("plain").id("b").payload(List.of(1)).delay(Duration.ZERO),
				request("plain", "c").delay(Duration.ZERO)));

		assertThat(this.batches.await(2).get(0).ids()).containsExactly("a", "c");
		assertThat(awaitDead("plain", "b")).contains("UNREADABLE");
		awaitMessages("plain", 1);
		assertThat(this.batches.ids()).containsExactly("a", "c");
	}

	@Test
	void stageOfABatchIsAwaited() {
		start();
		CompletableFuture<Void> stage = new CompletableFuture<>();
		this.batches.behaviour = (batch) -> (this.batches.runs.size() == 1) ? stage : null;
		schedule("plain", "a", "b");
		this.batches.await(2);
		assertThat(this.queue.find("plain", "a").map(MessageSnapshot::state)).contains(MessageState.PENDING);

		stage.completeExceptionally(
				new CompletionException(new BatchFailedException().failed("b", new IllegalStateException("half"))));

		this.batches.await(3);
		awaitEmpty("plain");
		assertThat(this.batches.ids()).containsExactly("a", "b", "b");
		assertThat(attemptsOf("b")).containsExactly(1, 2);
	}

	private long handled(String outcome) {
		return this.context.getBean(MeterRegistry.class)
			.get("delayqueue.handled")
			.tag("queue", "plain")
			.tag("outcome", outcome)
			.timer()
			.count();
	}

}
