package io.delayqueue.soak;

import java.util.List;
import java.util.Set;

import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Histories of one id with a change of the partition count, each in a correct and an
 * incorrect version. Times are ms.
 */
class RepartitionAnswerTests {

	@Test
	void afterAChangeOfTheCountAFinishedIdThatIsStoredAgainMayBeDone() {
		History stored = finished().changed(120).call(Operation.REPLACE, 130, 131, Answer.CREATED, 900);
		History replaced = stored.copy().call(Operation.REPLACE, 140, 141, Answer.REPLACED, 900);

		for (Operation operation : List.of(Operation.KEEP, Operation.FAIL)) {
			assertThat(stored.copy()
				.call(operation, 150, 151, Answer.DONE, 950)
				.delivered(2, 900, 900)
				.handled(2, 910)
				.violations()).as(operation.name()).isEmpty();
			assertThat(stored.copy()
				.call(operation, 150, 151, Answer.DUPLICATE, 950)
				.delivered(2, 900, 900)
				.handled(2, 910)
				.violations()).as(operation.name()).isEmpty();
			assertThat(replaced.copy()
				.call(operation, 150, 151, Answer.DONE, 950)
				.delivered(3, 900, 900)
				.handled(3, 910)
				.violations()).as("%s after another replace", operation).isEmpty();
		}
	}

	@Test
	void storedMessageIsDoneOnlyIfItsIdHasFinishedAndAChangeOfTheCountCameBeforeIt() {
		for (Operation operation : List.of(Operation.KEEP, Operation.FAIL)) {
			String wrong = operation + " must not return DONE";
			assertThat(finished().call(Operation.REPLACE, 130, 131, Answer.CREATED, 900)
				.call(operation, 140, 141, Answer.DONE, 950)
				.violations()).as("no change").containsExactly(wrong);
			assertThat(finished().call(Operation.REPLACE, 130, 131, Answer.CREATED, 900)
				.changed(135)
				.call(operation, 140, 141, Answer.DONE, 950)
				.violations()).as("a change after it").containsExactly(wrong);
			assertThat(scheduledFor(500).changed(15)
				.call(Operation.REPLACE, 20, 21, Answer.REPLACED, 900)
				.call(operation, 140, 141, Answer.DONE, 950)
				.violations()).as("not finished").containsExactly(wrong);
			assertThat(scheduledFor(500).call(Operation.CANCEL, 20, 21, Answer.CANCELLED)
				.changed(25)
				.call(Operation.REPLACE, 30, 31, Answer.CREATED, 900)
				.call(operation, 140, 141, Answer.DONE, 950)
				.violations()).as("cancelled").containsExactly(wrong);
		}
		assertThat(finished().changed(120)
			.call(Operation.REPLACE, 130, 131, Answer.CREATED, 900)
			.call(Operation.POSTPONE, 140, 141, Answer.DONE, 950)
			.violations()).containsExactly("POSTPONE must not return DONE");
	}

	@Test
	void afterAChangeOfTheCountADeadLetterOfAFinishedIdMayBeDone() {
		History dead = new History('x').call(Operation.REPLACE, 10, 12, Answer.CREATED, 100)
			.delivered(1, 100, 100)
			.handled(1, 110)
			.changed(120)
			.call(Operation.REPLACE, 130, 131, Answer.CREATED, 200)
			.delivered(2, 200, 200)
			.failure(2, 210)
			.left(Set.of(History.ID), Set.of(History.ID));

		assertThat(dead.copy().call(Operation.KEEP, 220, 221, Answer.DONE, 900).violations()).isEmpty();
		assertThat(dead.copy().call(Operation.KEEP, 220, 221, Answer.DEAD_LETTER, 900).violations()).isEmpty();
	}

	private static History finished() {
		return scheduledFor(100).delivered(1, 100, 100).handled(1, 110);
	}

	private static History scheduledFor(long due) {
		return new History().call(Operation.KEEP, 10, 12, Answer.CREATED, due);
	}

}
