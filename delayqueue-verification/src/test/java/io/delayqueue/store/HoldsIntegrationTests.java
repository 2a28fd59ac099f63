package io.delayqueue.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.Holds.Answer;
import io.delayqueue.store.Holds.Held;
import io.delayqueue.store.PartitionControl.Setting;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.ReadyMessages.Read.State;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Holds of a partition and of its groups.
 */
class HoldsIntegrationTests {

	private static final QueueHold FAR = States.hold(null, States.FAR);

	private static final QueueHold LATER = States.hold(null, States.FAR + 1);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	private final Holds holds = new Holds(this.store.calls());

	@Test
	void theLatestEndCountsAndARepeatChangesNothing() {
		assertThat(hold(FAR)).extracting(Held::answer, Held::beforeMillis, Held::current)
			.containsExactly(Answer.HELD, 0L, FAR);
		PartitionDump once = this.partition.dump();
		assertThat(once).isEqualTo(new ExpectedDump().control(Map.of("holds", "4102444800000"))
			.hold("", "0004102444800000handler|worker-1|429")
			.build());

		assertThat(hold(FAR)).extracting(Held::answer, Held::current).containsExactly(Answer.HELD, FAR);
		assertThat(this.partition.dump()).isEqualTo(once);
		assertThat(hold(LATER)).extracting(Held::answer, Held::beforeMillis, Held::current)
			.containsExactly(Answer.HELD, States.FAR, LATER);
		assertThat(hold(FAR)).extracting(Held::answer, Held::current).containsExactly(Answer.KEPT, LATER);
		assertThat(hold(States.hold("g", States.FAR))).extracting(Held::answer, Held::beforeMillis)
			.containsExactly(Answer.HELD, 0L);
		assertThat(list()).containsExactlyInAnyOrder(LATER, States.hold("g", States.FAR));
	}

	@Test
	void anEndThatHasPassedChangesNothing() {
		PartitionDump before = this.partition.dump();

		assertThat(hold(States.hold(null, this.partition.now()))).extracting(Held::answer, Held::current)
			.containsExactly(Answer.PAST, null);

		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(list()).isEmpty();
	}

	@Test
	void aSwitchWithoutItsHoldIsCompletedByARepeat() {
		hold(FAR);
		this.partition.command("HDEL", Key.CONTROL, "holds");

		hold(FAR);

		assertThat(this.store.ready().read(this.store.partition(), "holder", 5).state()).isEqualTo(State.HELD);
	}

	@Test
	void aReadAndASweepReportAHoldAndTakeNothing() {
		States.failedTwice(States.ready("a")).prepare(this.partition);
		this.store.schedule("b", States.DUE, 7);
		hold(FAR);
		PartitionDump before = this.partition.dump();

		Read read = this.store.ready().read(this.store.partition(), "holder", 5);
		Swept swept = this.store.moveAndTake("holder", 5);

		assertThat(List.of(read.state(), swept.read().state())).containsOnly(State.HELD);
		assertThat(read.entries()).isEmpty();
		assertThat(swept.read().entries()).isEmpty();
		assertThat(List.of(swept.lag(), swept.nextDueMillis(), swept.heldMillis())).containsExactly(1L, States.FAR,
				States.FAR);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aPauseIsReportedBeforeAHold() {
		States.paused(States.ready("a")).prepare(this.partition);
		hold(FAR);

		assertThat(this.store.ready().read(this.store.partition(), "holder", 5).state()).isEqualTo(State.PAUSED);
		assertThat(this.store.moveAndTake("holder", 5).read().state()).isEqualTo(State.PAUSED);
	}

	@Test
	void aHoldOfAGroupDoesNotHoldThePartition() {
		States.ready("a").prepare(this.partition);
		hold(States.hold("g", States.FAR));

		Swept swept = this.store.moveAndTake("holder", 5);

		assertThat(swept.read().state()).isEqualTo(State.OPEN);
		assertThat(swept.read().entries()).hasSize(1);
		assertThat(swept.heldMillis()).isEqualTo(States.FAR);
	}

	@Test
	void aSweepRemovesHoldsThatHaveEnded() {
		States.scheduled("a").prepare(this.partition);
		hold(FAR);
		this.partition.command("HSET", Key.CONTROL, "holds", "1000");
		this.partition.command("HSET", Key.HOLDS, "", "0000000000001000handler|worker-1|429");

		Swept swept = this.store.moveAndTake("holder", 5);

		assertThat(List.of(swept.moved(), swept.heldMillis())).containsExactly(1, 0L);
		assertThat(this.partition.dump().holds()).isEmpty();
		assertThat(this.partition.dump().control()).doesNotContainKey("holds");
	}

	@Test
	void aReleaseEndsAllHoldsOrThatOfAGroup() {
		PartitionDump before = this.partition.dump();
		hold(FAR);
		hold(States.hold("g", States.FAR));
		hold(States.hold("h", States.FAR));

		this.holds.end(this.store.partition(), "g");
		assertThat(list()).containsExactlyInAnyOrder(FAR, States.hold("h", States.FAR));
		this.holds.endAll(this.store.partition());

		assertThat(list()).isEmpty();
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void manyHoldsAreListedAndEnded() {
		IntStream.range(0, 2500).forEach((i) -> hold(States.hold("g-" + i, States.FAR)));
		hold(FAR);

		assertThat(list()).hasSize(2501);
		assertThat(this.holds.of(this.store.partition(), 1)).contains(FAR).hasSizeLessThan(2500);
		this.holds.endAll(this.store.partition());

		assertThat(this.partition.dump().holds()).isEmpty();
	}

	@Test
	void theEndsOfGroupsAreRead() {
		hold(States.hold("g", States.FAR));

		assertThat(this.holds.ends(this.store.partition(), List.of("f", "g")))
			.isEqualTo(new HashMap<>(Map.of("g", States.FAR)));
	}

	@Test
	void aReasonMayContainAnything() {
		QueueHold hold = new QueueHold("orders", "a|b", FAR.until(), QueueHold.By.OPERATOR, "host-1", "a|b|c");

		hold(hold);

		assertThat(list()).containsExactly(hold);
	}

	@Test
	void anotherLayoutIsRefused() {
		this.partition.command("HSET", Key.CONTROL, "layout", "0");

		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> hold(FAR)).withMessageContaining("LAYOUT");
		assertThat(this.partition.dump().holds()).isEmpty();
	}

	@Test
	void aPartitionOfANewEpochGetsHoldsOnlyOnce() {
		EpochCalls epochCalls = new EpochCalls(this.store.calls());
		QueueHold group = States.hold("g", States.FAR + 5);

		epochCalls.layOut(this.store.partition(), 4, new Setting(0, 0, 0, 0, ""), List.of(FAR, group));
		assertThat(list()).containsExactlyInAnyOrder(FAR, group);
		assertThat(this.partition.dump().control()).containsEntry("holds", Long.toString(States.FAR + 5));
		this.holds.endAll(this.store.partition());
		epochCalls.layOut(this.store.partition(), 4, new Setting(0, 0, 0, 0, ""), List.of(FAR, group));

		assertThat(list()).isEmpty();
	}

	@Test
	void aSnapshotReportsHolds() {
		hold(FAR);
		hold(States.hold("g", States.FAR + 5));

		assertThat(this.store.snapshots().of(this.store.partition()))
			.extracting(PartitionSnapshot::heldUntilMillis, PartitionSnapshot::heldGroups)
			.containsExactly(States.FAR, 1L);
	}

	@Test
	void aHeldPartitionWithMessagesIsBusy() {
		this.store.schedule("a", States.FAR, 1);
		hold(FAR);
		assertThat(new PartitionPeek(this.store.calls()).peek(List.of(this.store.partition())))
			.extracting(PartitionPeek.Peeked::state)
			.containsExactly(PartitionPeek.State.BUSY);
	}

	private Held hold(QueueHold hold) {
		return this.holds.hold(this.store.partition(), hold);
	}

	private List<QueueHold> list() {
		return this.holds.of(this.store.partition(), Integer.MAX_VALUE);
	}

}
