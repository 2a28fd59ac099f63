package io.delayqueue.store;

import java.time.Duration;

import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

class CancelIntegrationTests {

	private static final int CALL = 50;

	private static final String SCHEDULED_BY = "\0" + TestMessages.token(1);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void aScheduledMessageIsRemoved() {
		States.scheduled("a").prepare(this.partition);
		long before = this.partition.now();
		assertThat(this.store.cancel("a", CALL)).isEqualTo(Cancelled.CANCELLED);
		assertThat(ends() - TestStore.WINDOW.toMillis()).isBetween(before, this.partition.now());
		assertThat(this.partition.dump()).isEqualTo(remembered("cancelled").build());
	}

	@Test
	void aReadyMessageIsRemovedFromTheStream() {
		States.failedTwice(States.ready("a")).prepare(this.partition);
		assertThat(this.store.cancel("a", CALL)).isEqualTo(Cancelled.CANCELLED);
		assertThat(this.partition.dump()).isEqualTo(remembered("cancelled").build());
		assertThat(this.store.read("holder")).isEmpty();
	}

	@Test
	void aPendingMessageIsInFlightAndItsDeliveryStaysUntilSettled() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		assertThat(this.store.cancel("a", CALL)).isEqualTo(Cancelled.IN_FLIGHT);
		assertThat(this.partition.dump())
			.isEqualTo(remembered("in-flight").supersededPending("a", held.entry(), "holder").build());
	}

	@Test
	void aDeadLetterIsRemoved() {
		States.dead().prepare(this.partition);
		String delivered = this.partition.dump().stream().lastDelivered();
		assertThat(this.store.cancel("a", CALL)).isEqualTo(Cancelled.DEAD);
		assertThat(this.partition.dump()).isEqualTo(remembered("dead").delivered(delivered).build());
	}

	@Test
	void anUnknownIdIsNone() {
		States.finished().prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.cancel("a", CALL)).isEqualTo(Cancelled.NONE);
		assertThat(this.store.cancel("b", CALL)).isEqualTo(Cancelled.NONE);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void remainsWithoutARecordAreRemovedAndTheAnswerIsNone() {
		States.ghost(States.alsoScheduled(States.ready("a"))).prepare(this.partition);
		assertThat(this.store.cancel("a", CALL)).isEqualTo(Cancelled.NONE);
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().build());
	}

	@Test
	void aRepeatReturnsTheFirstAnswerEvenIfTheIdIsInUseAgain() {
		States.pending("a").prepare(this.partition);
		this.store.cancel("a", CALL);
		this.store.schedule("a", DUE, 2);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.cancel("a", CALL)).isEqualTo(Cancelled.IN_FLIGHT);
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.store.cancel("a", CALL + 1)).isEqualTo(Cancelled.CANCELLED);
	}

	@Test
	void whenTheWindowHasEndedARepeatedScheduleIsANewOne() {
		States.scheduled("a").prepare(this.partition);
		this.store.known().cancel(this.store.candidate(TestMessages.key("a")), TestMessages.token(CALL), Duration.ZERO);
		assertThat(this.store.schedule("a", DUE, 1).stored()).isEqualTo(Stored.ENDED);
		this.store.sweep();
		assertThat(this.partition.dump().done()).isEmpty();
		assertThat(this.store.schedule("a", DUE, 1).stored()).isEqualTo(Stored.CREATED);
	}

	private long ends() {
		return this.partition.dump().done().get(SCHEDULED_BY);
	}

	private ExpectedDump remembered(String answer) {
		return new ExpectedDump().done(SCHEDULED_BY, ends()).done(answer + "\0" + TestMessages.token(CALL), ends());
	}

}
