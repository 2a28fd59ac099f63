package io.delayqueue.schedule;

import java.util.List;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.schedule.Load.Outcome;
import org.junit.jupiter.api.Test;

import org.springframework.dao.QueryTimeoutException;

import static io.delayqueue.schedule.StoreFailures.failure;
import static io.delayqueue.schedule.TestMessages.text;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads send at the same time; no call is held.
 */
class CallCoalescerLoadTests extends HeldCalls {

	@Test
	void underLoadEachThreadGetsItsAnswerAndEachMessageIsSentOnce() {
		Load load = new Load(List.of());

		List<Outcome> outcomes = run(load);

		assertThat(outcomes).hasSize(Load.THREADS * Load.MESSAGES)
			.allSatisfy((outcome) -> assertThat(outcome.answer).isEqualTo(text(outcome.message)));
		assertThat(load.timesSent).hasSameSizeAs(outcomes)
			.allSatisfy((message, times) -> assertThat(times).as(message).hasValue(1));
		assertThat(load.faults).isEmpty();
	}

	@Test
	void underLoadEveryThreadReturnsAfterFailuresOfAllKinds() {
		Load load = new Load(List.of(new StackOverflowError(), new IllegalStateException("indicates a bug"),
				new OutOfMemoryError("not really"), failure(new QueryTimeoutException("Redis command timed out"))));

		List<Outcome> outcomes = run(load);

		assertThat(outcomes).hasSize(Load.THREADS * Load.MESSAGES);
		// A message was sent twice if its first call failed, because it was then sent
		// alone
		assertThat(load.timesSent).allSatisfy((message, times) -> assertThat(times.get()).as(message).isBetween(1, 2));
		List<Outcome> answered = outcomes.stream().filter((outcome) -> outcome.failure == null).toList();
		assertThat(answered).isNotEmpty()
			.allSatisfy((outcome) -> assertThat(outcome.answer).isEqualTo(text(outcome.message)))
			.allSatisfy((outcome) -> assertThat(load.timesSent).containsKey(text(outcome.message)));
		assertThat(outcomes)
			.filteredOn((outcome) -> outcome.failure instanceof StoreException failure
					&& failure.kind() == FailureKind.NOT_EXECUTED)
			.allSatisfy((outcome) -> assertThat(load.timesSent).doesNotContainKey(text(outcome.message)));
		assertThat(load.faults).isEmpty();
	}

	private List<Outcome> run(Load load) {
		this.calling = load::call;
		List<Outcome> outcomes = load.run(this.callCoalescer);
		this.calling = this::hold;
		return outcomes;
	}

}
