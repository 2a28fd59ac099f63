package io.delayqueue.soak;

import java.util.List;
import java.util.Set;

import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Histories of one id, each in a correct and an incorrect version. Times are ms. */
class AnswerCheckerTests {

	private static final String DELIVERED_AFTER_END = "delivered although it was cancelled, replaced or finished";

	private static final String NO_OUTCOME = "removed without an outcome";

	private static final String NOT_IN_FLIGHT = "started by a delivery that was not in flight";

	@Test
	void cancelledMessageIsNotDelivered() {
		History cancelled = scheduledFor(500).call(Operation.CANCEL, 200, 201, Answer.CANCELLED);

		assertThat(cancelled.violations()).isEmpty();
		assertThat(cancelled.delivered(1, 500, 500).violations()).containsExactly(DELIVERED_AFTER_END);
	}

	@Test
	void messageInFlightMayStartOnceAfterItWasCancelled() {
		History cancelled = scheduledFor(100).delivered(1, 150, 100)
			.call(Operation.CANCEL, 160, 161, Answer.IN_FLIGHT)
			.begin(1, 170)
			.success(1, 180);

		assertThat(cancelled.violations()).isEmpty();
		assertThat(cancelled.delivered(1, 300, 100).violations()).containsExactly(DELIVERED_AFTER_END);
	}

	@Test
	void undueMessageIsNotInFlight() {
		assertThat(scheduledFor(500).call(Operation.CANCEL, 200, 201, Answer.IN_FLIGHT).violations())
			.containsExactly("CANCEL must not return IN_FLIGHT");
	}

	@Test
	void messageInFlightIsNotCancelledOrRescheduled() {
		assertThat(scheduledFor(100).delivered(1, 150, 100)
			.call(Operation.CANCEL, 160, 161, Answer.CANCELLED)
			.begin(1, 170)
			.violations()).containsExactly(NOT_IN_FLIGHT);
		assertThat(scheduledFor(100).delivered(1, 150, 100)
			.call(Operation.RESCHEDULE, 160, 161, Answer.RESCHEDULED, 900)
			.begin(1, 170)
			.delivered(1, 900, 900)
			.handled(1, 901)
			.violations()).containsExactly(NOT_IN_FLIGHT);
	}

	@Test
	void deliveryOfAnEarlierMessageDoesNotPutItsSuccessorInFlight() {
		assertThat(scheduledFor(100).delivered(1, 150, 100)
			.call(Operation.CANCEL, 155, 156, Answer.IN_FLIGHT)
			.call(Operation.REPLACE, 160, 161, Answer.CREATED, 170)
			.call(Operation.CANCEL, 165, 166, Answer.CANCELLED)
			.begin(1, 180)
			.violations()).isEmpty();
	}

	@Test
	void leaseMayBeLostBeforeTheHandlerStarts() {
		assertThat(scheduledFor(100).delivered(1, 150, 100)
			.call(Operation.CANCEL, 2160, 2161, Answer.CANCELLED)
			.begin(1, 2170)
			.violations()).isEmpty();
	}

	@Test
	void rescheduledMessageIsDeliveredByItsNewDueTimeOnly() {
		assertThat(scheduledFor(500).call(Operation.RESCHEDULE, 200, 201, Answer.RESCHEDULED, 900)
			.delivered(1, 900, 900)
			.handled(1, 910)
			.violations()).isEmpty();
		assertThat(scheduledFor(500).call(Operation.RESCHEDULE, 200, 201, Answer.RESCHEDULED, 900)
			.delivered(1, 500, 500)
			.handled(1, 510)
			.violations()).containsExactly("delivered by a wrong due time");
	}

	@Test
	void messageMayBeDeliveredBeforeARescheduleIsAnswered() {
		assertThat(scheduledFor(500).call(Operation.RESCHEDULE, 499, 600, Answer.IN_FLIGHT, 900)
			.delivered(1, 550, 500)
			.handled(1, 560)
			.violations()).isEmpty();
	}

	@Test
	void nothingIsDeliveredBeforeItsDueTime() {
		assertThat(scheduledFor(500).delivered(1, 499, 500).violations())
			.containsExactly("delivered before its due time");
	}

	@Test
	void unacceptedMessageIsNotDelivered() {
		History refused = new History().call(Operation.KEEP, 10, 12, Answer.NOT_ACCEPTED, 500);

		assertThat(refused.violations()).isEmpty();
		assertThat(refused.delivered(1, 500, 500).violations()).containsExactly(DELIVERED_AFTER_END);
		assertThat(new History().delivered(7, 500, 500).violations())
			.containsExactly("delivered although not accepted");
	}

	@Test
	void storedIdIsADuplicate() {
		assertThat(scheduledFor(500).call(Operation.KEEP, 20, 21, Answer.DUPLICATE, 900)
			.delivered(1, 500, 500)
			.handled(1, 510)
			.violations()).isEmpty();
		assertThat(scheduledFor(500).call(Operation.FAIL, 20, 21, Answer.CREATED, 900).violations())
			.containsExactly("FAIL must not return CREATED");
		assertThat(scheduledFor(100).delivered(1, 100, 100)
			.handled(1, 110)
			.call(Operation.KEEP, 120, 121, Answer.DUPLICATE, 900)
			.violations()).containsExactly("KEEP must not return DUPLICATE");
	}

	@Test
	void finishedChosenIdIsDone() {
		History finished = scheduledFor(100).delivered(1, 100, 100).handled(1, 110);

		assertThat(finished.copy().call(Operation.KEEP, 120, 121, Answer.DONE, 900).violations()).isEmpty();
		assertThat(finished.call(Operation.KEEP, 120, 121, Answer.CREATED, 900).violations())
			.containsExactly("KEEP must not return CREATED");
	}

	@Test
	void finishedGeneratedIdMayBeReused() {
		assertThat(new History().call(Operation.SCHEDULE, 10, 12, Answer.CREATED, 100)
			.delivered(1, 100, 100)
			.handled(1, 110)
			.call(Operation.KEEP, 120, 121, Answer.CREATED, 200)
			.delivered(2, 200, 200)
			.handled(2, 210)
			.violations()).isEmpty();
	}

	@Test
	void waitingMessageIsFound() {
		for (Operation operation : List.of(Operation.CANCEL, Operation.RESCHEDULE, Operation.FIND)) {
			assertThat(scheduledFor(500).call(operation, 20, 21, Answer.NOT_FOUND).violations()).as(operation.name())
				.containsExactly(operation + " must not return NOT_FOUND");
			assertThat(scheduledFor(100).delivered(1, 100, 100)
				.success(1, 105)
				.call(operation, 106, 107, Answer.NOT_FOUND)
				.violations()).as(operation.name()).isEmpty();
		}
	}

	@Test
	void callWithUnknownOutcomeIsExecutedAnyTimeOrNever() {
		History unknown = scheduledFor(500).call(Operation.CANCEL, 20, 1020, Answer.UNKNOWN);

		assertThat(unknown.copy().violations()).isEmpty();
		assertThat(unknown.copy().delivered(1, 500, 500).handled(1, 510).violations()).isEmpty();
		assertThat(unknown.copy().call(Operation.KEEP, 1030, 1031, Answer.DUPLICATE, 2000).violations()).isEmpty();
		assertThat(unknown.copy()
			.call(Operation.KEEP, 1030, 1031, Answer.CREATED, 2000)
			.call(Operation.FIND, 1040, 1041, Answer.SCHEDULED, 2000)
			.violations()).as("executed once").containsExactly(NO_OUTCOME);
		assertThat(new History().call(Operation.KEEP, 10, 1010, Answer.UNKNOWN, 500)
			.call(Operation.FIND, 1020, 1021, Answer.NOT_FOUND)
			.delivered(1, 1500, 500)
			.handled(1, 1510)
			.violations()).as("executed late").isEmpty();
	}

	@Test
	void findReturnsThePossibleStatesOnly() {
		assertThat(scheduledFor(500).call(Operation.FIND, 20, 21, Answer.SCHEDULED, 500)
			.call(Operation.FIND, 500, 501, Answer.READY, 500)
			.delivered(1, 510, 500)
			.call(Operation.FIND, 511, 512, Answer.PENDING, 500)
			.handled(1, 520)
			.call(Operation.FIND, 530, 531, Answer.NOT_FOUND)
			.violations()).isEmpty();
		assertThat(scheduledFor(500).call(Operation.FIND, 20, 21, Answer.SCHEDULED, 499).violations())
			.containsExactly("FIND must not return SCHEDULED");
		assertThat(scheduledFor(500).call(Operation.FIND, 20, 21, Answer.READY, 500).violations())
			.containsExactly("FIND must not return READY");
		assertThat(scheduledFor(500).call(Operation.FIND, 600, 601, Answer.DEAD, 500).violations())
			.containsExactly("FIND must not return DEAD");
		assertThat(scheduledFor(500).call(Operation.FIND, 600, 601, Answer.PARKED, 500).violations())
			.containsExactly("FIND must not return PARKED");
	}

	@Test
	void replacedMessageIsDeliveredAsTheNewMessageOnly() {
		History replaced = scheduledFor(500).call(Operation.REPLACE, 20, 21, Answer.REPLACED, 600);

		assertThat(replaced.copy().delivered(2, 600, 600).handled(2, 610).violations()).isEmpty();
		assertThat(replaced.copy().delivered(1, 600, 500).violations()).containsExactly(DELIVERED_AFTER_END);
		assertThat(new History().call(Operation.REPLACE, 20, 21, Answer.REPLACED, 600).violations())
			.containsExactly("REPLACE must not return REPLACED");
	}

	@Test
	void postponedMessageIsDeliveredAtTheAnsweredDueTime() {
		History postponed = scheduledFor(500).call(Operation.POSTPONE, 20, 21, Answer.POSTPONED, 600);

		assertThat(postponed.copy().delivered(2, 600, 600).handled(2, 610).violations()).isEmpty();
		assertThat(postponed.delivered(2, 600, 550).violations()).containsExactly("delivered by a wrong due time");
	}

	@Test
	void finishedMessageIsNotRedelivered() {
		History finished = scheduledFor(100).delivered(1, 100, 100).handled(1, 110);

		assertThat(finished.violations()).isEmpty();
		assertThat(finished.delivered(1, 200, 100).violations()).containsExactly(DELIVERED_AFTER_END);
	}

	@Test
	void handlerStartsByADeliveryOnly() {
		assertThat(scheduledFor(100).begin(1, 100).violations()).contains("started without a delivery");
	}

	@Test
	void acceptedMessageHasAnOutcome() {
		assertThat(scheduledFor(500).violations()).containsExactly(NO_OUTCOME);
		assertThat(scheduledFor(500).delivered(1, 500, 500).violations()).containsExactly(NO_OUTCOME);
		assertThat(scheduledFor(500).left(Set.of(History.ID), Set.of()).violations())
			.containsExactly("left over at the end");
	}

	@Test
	void poisonMessageIsADeadLetterUntilItIsCancelled() {
		History failed = new History('x').call(Operation.KEEP, 10, 12, Answer.CREATED, 100).delivered(1, 100, 100);
		History dead = failed.copy().failure(1, 110).left(Set.of(History.ID), Set.of(History.ID));

		assertThat(failed.left(Set.of(History.ID), Set.of(History.ID)).violations())
			.containsExactly("a dead letter at the end");
		assertThat(dead.copy().violations()).isEmpty();
		assertThat(dead.copy().call(Operation.FIND, 120, 121, Answer.DEAD, 100).violations()).isEmpty();
		assertThat(dead.copy().call(Operation.KEEP, 120, 121, Answer.DEAD_LETTER, 500).violations()).isEmpty();
		assertThat(
				dead.copy().call(Operation.CANCEL, 120, 121, Answer.DEAD_LETTER).left(Set.of(), Set.of()).violations())
			.isEmpty();
	}

	private static History scheduledFor(long due) {
		return new History().call(Operation.KEEP, 10, 12, Answer.CREATED, due);
	}

}
