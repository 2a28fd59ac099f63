package io.delayqueue.store;

import java.time.Duration;

import io.delayqueue.record.CallToken;
import io.delayqueue.store.KnownMessages.MoveAnswer;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

class RescheduleIntegrationTests {

	private static final Duration MAX_DELAY = Duration.ofHours(1);

	private static final String CALL = TestMessages.token(60);

	private static final String MEMORY = "rescheduled\0" + CALL;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@ParameterizedTest
	@ValueSource(longs = { 0, DUE - 1, DUE, DUE + 1, FAR })
	void aScheduledMessageHasItsNewDueTime(long due) {
		States.failedTwice(States.scheduled("a")).prepare(this.partition);
		MoveAnswer answer = this.store.reschedule("a", due, CALL);
		assertThat(answer.moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(answer.dueMillis()).isEqualTo(due);
		PartitionDump dump = this.partition.dump();
		assertThat(dump).isEqualTo(moved(due, dump).failures("a", States.FAILED_TWICE).build());
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, DUE, FAR })
	void aReadyMessageIsRemovedFromTheStream(long due) {
		States.ready("a").prepare(this.partition);
		assertThat(this.store.reschedule("a", due, CALL).moved()).isEqualTo(Moved.RESCHEDULED);
		PartitionDump dump = this.partition.dump();
		assertThat(dump).isEqualTo(moved(due, dump).build());
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

	@Test
	void aRepeatedCallAnswersTheSameAndMovesNothing() {
		States.scheduled("a").prepare(this.partition);
		this.store.reschedule("a", DUE + 1, CALL);
		Entry held = this.store.take("holder").get(0);
		this.store.retry(held, "it broke");
		PartitionDump before = this.partition.dump();
		assertThat(this.store.reschedule("a", DUE + 1, CALL).moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(this.partition.dump()).isEqualTo(before);
		this.store.acknowledge(this.store.take("holder").get(0));
		assertThat(this.store.reschedule("a", DUE + 1, CALL).moved()).isEqualTo(Moved.RESCHEDULED);
		assertThat(this.store.reschedule("a", DUE + 1).moved()).isEqualTo(Moved.NONE);
	}

	@Test
	void endedWindowsAreRemovedWithoutASweep() {
		States.windowsEnded(States.scheduled("a")).prepare(this.partition);
		this.store.reschedule("a", FAR, CALL);
		assertThat(this.partition.dump().done()).containsOnlyKeys(MEMORY);
	}

	private MoveAnswer in(Duration delay) {
		return this.store.known()
			.reschedule(this.store.candidate(TestMessages.key("a")), Due.in(delay), MAX_DELAY, CallToken.next(),
					TestStore.WINDOW);
	}

	private void unchanged(String id, Moved moved) {
		PartitionDump before = this.partition.dump();
		assertThat(this.store.reschedule(id, FAR).moved()).isEqualTo(moved);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	/** The expected content, with the end of the window from the dump. */
	private static ExpectedDump moved(long due, PartitionDump dump) {
		String content = TestMessages.record("a", DUE, 1).substring(17);
		return new ExpectedDump().record("a", "1%016d%s".formatted(due, content))
			.scheduled("a", due)
			.done(MEMORY, dump.done().get(MEMORY));
	}

}
