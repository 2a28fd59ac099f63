package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Acknowledge, release and dead-letter of a delivery that is current.
 */
class SettlementIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void acknowledgeRemovesTheMessageAndStoresItsFinishedId() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		long before = this.partition.now();
		assertThat(this.store.acknowledge(held)).containsExactly(Settled.COUNTED);
		long ends = this.partition.dump().done().get("a");
		assertThat(ends - TestStore.WINDOW.toMillis()).isBetween(before, this.partition.now());
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().delivered(held.entry())
			.done("a", ends)
			.done("\0" + TestMessages.token(1), ends)
			.build());
	}

	@Test
	void aMessageWhoseRecordWasRemovedIsGoneAndItsIdIsNotStored() {
		List<Entry> held = States.ghost(States.pending("a", "b")).prepare(this.partition);
		assertThat(this.store.acknowledge(held.get(0), held.get(1))).containsExactly(Settled.GONE, Settled.COUNTED);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.done()).containsOnlyKeys("b", "\0" + TestMessages.token(1));
		assertThat(dump.stream().pending()).isEmpty();
		assertThat(dump.ids()).isEmpty();
	}

	@Test
	void eachMessageHasItsOwnWindow() {
		List<Entry> held = States.pending("a", "b").prepare(this.partition);
		this.store.pending()
			.acknowledge(this.store.partition(), TestStore.WINDOW,
					List.of(TestStore.acknowledgement(held.get(0), Duration.ofSeconds(1)),
							TestStore.acknowledgement(held.get(1), Duration.ofSeconds(31))));
		PartitionDump dump = this.partition.dump();
		assertThat(dump.done().get("b") - dump.done().get("a")).isEqualTo(30_000);
	}

	@Test
	void aBatchHasAnAnswerForEachMessage() {
		List<Entry> held = States.pendingTwice().prepare(this.partition);
		this.store.schedule(TestMessages.message("b", DUE, 5), TestMessages.message("c", DUE, 6));
		List<Entry> more = this.store.take("holder");
		this.store.acknowledge(more.get(1));
		assertThat(this.store.acknowledge(more.get(1), held.get(0), more.get(0), held.get(1)))
			.containsExactly(Settled.GONE, Settled.SUPERSEDED, Settled.COUNTED, Settled.COUNTED);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.ids()).isEmpty();
		assertThat(dump.stream().entries()).isEmpty();
		assertThat(dump.stream().pending()).isEmpty();
	}

	@Test
	void releaseSchedulesWithoutCountingAFailure() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		assertThat(this.store.release(DUE + 9, held)).containsExactly(Settled.COUNTED);
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.scheduled("a", DUE + 9)
			.failures("a", States.FAILED_TWICE)
			.delivered(held.entry())
			.build());
	}

	@Test
	void deadLetterStoresTheReasonAndCountsOneFailure() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		long before = this.partition.now();
		assertThat(this.store.deadLetter(held, "it broke")).isEqualTo(Settled.COUNTED);
		long death = this.partition.dump().dead().get("a");
		assertThat(death).isBetween(before, this.partition.now());
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.dead("a", death)
			.failures("a", "1|0|0|" + held.entry() + "|it broke")
			.delivered(held.entry())
			.build());
	}

	@Test
	void failuresAddUpAndCrashesStay() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);
		this.store.deadLetter(held, "again");
		assertThat(this.partition.dump().failures()).containsEntry("a", "3|1|0|" + held.entry() + "|again");
	}

	@Test
	void failuresOfAnotherFormDoNotPreventDeadLettering() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		this.partition.command("HSET", Key.FAILURES, "a", "of another program");
		assertThat(this.store.deadLetter(held, "it broke")).isEqualTo(Settled.COUNTED);
		assertThat(this.partition.dump().failures()).containsEntry("a", "1|0|0|" + held.entry() + "|it broke");
	}

	@Test
	void afterASettlementTheSameDeliveryHasNothingToSettle() {
		Entry dead = States.pending("a").prepare(this.partition).get(0);
		this.store.deadLetter(dead, "it broke");
		PartitionDump before = this.partition.dump();
		assertThat(this.store.deadLetter(dead, "it broke")).isEqualTo(Settled.GONE);
		assertThat(this.store.acknowledge(dead)).containsExactly(Settled.GONE);
		assertThat(this.store.release(DUE, dead)).containsExactly(Settled.GONE);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aMessageWithoutARecordIsGoneAndItsRemainsAreRemoved() {
		List<Entry> held = States.ghost(States.pending("a")).prepare(this.partition);
		assertThat(this.store.release(DUE, held.get(0))).containsExactly(Settled.GONE);
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().delivered(held.get(0).entry()).build());
	}

}
