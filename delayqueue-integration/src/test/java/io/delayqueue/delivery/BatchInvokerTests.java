package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.BatchFailedException;
import io.delayqueue.DeferException;
import io.delayqueue.HoldException;
import io.delayqueue.UnreadableMessageException;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.FailureRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * How the messages of a batch are settled when each is at its last attempt.
 */
class BatchInvokerTests {

	private static final QueueSettings QUEUE = HandlerInvokerTests.settings(new RetrySettings(5, 1, 1, 5,
			Duration.ofHours(1), BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of(IllegalArgumentException.class)));

	private final List<Settlement> ended = new ArrayList<>();

	static Stream<Throwable> failures() {
		return Stream.of(new IllegalStateException("down"), new IllegalArgumentException("never retried"),
				new UnreadableMessageException("one of them", null), new StackOverflowError(),
				new BatchFailedException(), new BatchFailedException().failed("x", new IllegalStateException()),
				new Unprintable());
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failureOfWholeBatchDeadLettersNoMessage(Throwable failure) {
		run(failure, "a", "b", "c");

		assertThat(this.ended).hasSize(3)
			.allSatisfy((settlement) -> assertThat(settlement.kind()).isEqualTo(Settlement.Kind.RETRY))
			.allSatisfy((settlement) -> assertThat(settlement.reason()).as("counted").isNotNull());
	}

	@ParameterizedTest
	@MethodSource("failures")
	void failureOfBatchWithOneMessageDeadLettersIt(Throwable failure) {
		run(failure, "a");

		assertThat(this.ended).singleElement()
			.satisfies((settlement) -> assertThat(settlement.kind()).isEqualTo(Settlement.Kind.DEAD_LETTER));
	}

	@Test
	void failureOfOneMessageConcernsOnlyThatMessage() {
		run(new BatchFailedException().failed("b", new IllegalStateException("b alone")), "a", "b", "c");

		assertThat(this.ended).extracting(Settlement::kind)
			.containsExactly(Settlement.Kind.ACKNOWLEDGE, Settlement.Kind.DEAD_LETTER, Settlement.Kind.ACKNOWLEDGE);
	}

	@Test
	void deferredBatchDoesNotCountAsFailed() {
		run(new DeferException(Duration.ofSeconds(1)), "a", "b");

		assertThat(this.ended).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement.kind()).isEqualTo(Settlement.Kind.RETRY))
			.allSatisfy((settlement) -> assertThat(settlement.reason()).as("not counted").isNull());
	}

	@Test
	void aBatchThatHoldsTheQueueIsDeferredUntilTheEnd() {
		run(HoldException.queue(Duration.ofDays(10), "429"), "a", "b");

		assertThat(this.ended).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement.kind()).isEqualTo(Settlement.Kind.RETRY))
			.allSatisfy((settlement) -> assertThat(settlement.reason()).as("not counted").isNull())
			.extracting(Settlement::hold)
			.allSatisfy((hold) -> assertThat(hold).isNotNull())
			.allSatisfy((hold) -> assertThat(hold.group()).isNull())
			.extracting(Settlement.Hold::why)
			.containsOnly("429");
	}

	@Test
	void aHoldOfTheGroupOfMessagesWithoutAGroupHoldsNothing() {
		run(HoldException.group(Duration.ofMinutes(1), "429"), "a", "b");

		assertThat(this.ended).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement.kind()).isEqualTo(Settlement.Kind.RETRY))
			.allSatisfy((settlement) -> assertThat(settlement.hold()).isNull());
	}

	private void run(Throwable failure, String... ids) {
		ConsumerState state = TestActors.state(QUEUE, new RedisGate(new TaskPool(), null));
		HandlerRuns runs = new HandlerRuns(state, 1, QueueObserver.NONE, (tasks, broken) -> fail("undecided", broken));
		BatchInvoker invoker = new BatchInvoker(new Failing(failure), new OutcomePolicy(QUEUE, QueueObserver.NONE),
				runs, QueueObserver.NONE, MessageTracing.NONE, this.ended::add);
		invoker.handleBatch(Stream.of(ids)
			.map((id) -> HandlerInvokerTests.task(id, null, 0, new FailureRecord(4, 0, 0, null)))
			.toList());
		assertThat(runs.inFlight()).isZero();
	}

	private static final class Unprintable extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public String toString() {
			throw new IllegalStateException("toString() fails too");
		}

	}

	private record Failing(Throwable failure) implements BatchHandler {

		@Override
		public Object read(Delivery delivery) {
			return delivery.id();
		}

		@Override
		public @Nullable CompletionStage<?> handle(List<Object> batch) throws Throwable {
			throw this.failure;
		}

	}

}
