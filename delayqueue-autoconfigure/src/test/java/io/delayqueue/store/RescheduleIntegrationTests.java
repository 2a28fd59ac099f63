package io.delayqueue.store;

import java.time.Duration;

import io.delayqueue.store.ScheduledMessages.MoveAnswer;
import io.delayqueue.store.ScheduledMessages.Moved;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

class RescheduleIntegrationTests {

	private static final Duration MAX_DELAY = Duration.ofHours(1);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@ParameterizedTest
	@ValueSource(longs = { 0, DUE - 1, DUE, DUE + 1, FAR })
	void aScheduledMessageHasItsNewDueTime(long due) {
		States.failedTwice(States.scheduled("a")).prepare(this.partition);
		MoveAnswer answer = this.store.reschedule("a", due);
		assertThat(answer.moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(answer.dueMillis()).isEqualTo(due);
		assertThat(this.partition.dump()).isEqualTo(moved(due).failures("a", States.FAILED_TWICE).build());
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, DUE, FAR })
	void aReadyMessageIsTakenOutOfTheStream(long due) {
		States.ready("a").prepare(this.partition);
		assertThat(this.store.reschedule("a", due).moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(this.partition.dump()).isEqualTo(moved(due).build());
	}

	@Test
	void aDelayCountsFromTheTimeOfRedis() {
		States.scheduled("a").prepare(this.partition);
		MoveAnswer answer = in(Duration.ofMinutes(1));
		assertThat(answer.dueMillis()).isEqualTo(answer.nowMicros() / 1000 + 60_000);
		assertThat(this.partition.dump().scheduled()).containsEntry("a", answer.dueMillis());
	}

	@Test
	void aPendingMessageIsInFlightAndStays() {
		States.pending("a").prepare(this.partition);
		unchanged("a", Moved.IN_FLIGHT);
	}

	@Test
	void aDeadLetterStays() {
		States.dead().prepare(this.partition);
		unchanged("a", Moved.DEAD);
	}

	@Test
	void anUnknownIdIsNone() {
		States.finished().prepare(this.partition);
		unchanged("a", Moved.NONE);
		unchanged("b", Moved.NONE);
	}

	@Test
	void beyondMaxDelayIsRefusedAndAtMaxDelayIsNot() {
		States.scheduled("a").prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(in(MAX_DELAY.plusMillis(1)).moved()).isEqualTo(Moved.TOO_FAR);
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(in(MAX_DELAY).moved()).isEqualTo(Moved.RESCHEDULED);
	}

	@Test
	void theFirstOneDueIsTheNewHead() {
		this.store.schedule("a", FAR, 1);
		this.store.schedule("b", FAR + 5, 1);
		assertThat(this.store.reschedule("b", FAR + 1).newHead()).isFalse();
		assertThat(this.store.reschedule("b", FAR - 1).newHead()).isTrue();
		assertThat(this.store.reschedule("b", FAR + 9).newHead()).isFalse();
	}

	@Test
	void aReadyMessageIsTheNewHeadOfAnEmptySet() {
		States.ready("a").prepare(this.partition);
		assertThat(this.store.reschedule("a", FAR).newHead()).isTrue();
	}

	private MoveAnswer in(Duration delay) {
		return this.store.scheduled().reschedule(this.store.partition(), "a", Due.in(delay), MAX_DELAY);
	}

	private void unchanged(String id, Moved moved) {
		PartitionDump before = this.partition.dump();
		assertThat(this.store.reschedule(id, FAR).moved()).isEqualTo(moved);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	private static ExpectedDump moved(long due) {
		String content = TestStore.record("a", DUE, 1).substring(17);
		return new ExpectedDump().record("a", "1%016d%s".formatted(due, content)).scheduled("a", due);
	}

}
