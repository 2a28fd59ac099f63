package io.delayqueue.store;

import java.util.List;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.ReadyMessages.Read.State;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SweepIntegrationTests {

	private static final int MANY = 1000;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void dueMessagesBecomeReadyAndTheRestStaysScheduled() {
		this.store.schedule("a", DUE, 1);
		this.store.schedule("late", FAR, 1);
		long before = this.partition.now();
		Swept swept = sweep(MANY, MANY);
		assertThat(swept).isEqualTo(
				new Swept(1, 1, FAR, false, 0, "", 0, new Read(List.of(), swept.read().nowMicros(), State.OPEN)));
		assertThat(swept.read().nowMicros() / 1000).isBetween(before, this.partition.now());
		String entry = this.partition.dump().entries().get("a");
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.ready("a", entry)
			.message("late", FAR, 1)
			.scheduled("late", FAR)
			.build());
	}

	@Test
	void theEntriesAreAHashTableFromTheFirstMessageOn() {
		this.store.schedule("a", DUE, 1);
		sweep(MANY, MANY);
		assertThat(this.partition.redis().call("OBJECT", "ENCODING", this.partition.key(Key.ENTRIES)))
			.isEqualTo("hashtable");
	}

	@Test
	void anEmptyPartitionStaysEmpty() {
		Swept swept = sweep(MANY, MANY);
		assertThat(swept)
			.isEqualTo(new Swept(0, 0, -1, false, 0, "", 0, new Read(List.of(), swept.read().nowMicros(), State.OPEN)));
		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(this.partition.dump().control()).isEmpty();
	}

	@Test
	void messagesAreMovedByDueTimeAndThenByTheBytesOfTheId() {
		for (String id : List.of("b", "10", "9", "a", "B", "é")) {
			this.store.schedule(id, DUE, 1);
		}
		this.store.schedule("z", DUE - 1, 1);
		this.store.schedule("0", DUE + 1, 1);
		assertThat(this.store.take("holder")).extracting(Entry::id)
			.containsExactly("z", "10", "9", "B", "a", "b", "é", "0");
	}

	@Test
	void aBatchIsNotExceeded() {
		States.scheduled("a", "b", "c").prepare(this.partition);
		Swept swept = sweep(2, MANY);
		assertThat(swept.moved()).isEqualTo(2);
		assertThat(swept.nextDueMillis()).isEqualTo(DUE);
		assertThat(sweep(2, MANY).moved()).isEqualTo(1);
	}

	@Test
	void theHighWaterMarkCountsUndeliveredMessages() {
		States.scheduled("a", "b", "c", "d").prepare(this.partition);
		assertThat(sweep(MANY, 2).moved()).isEqualTo(2);
		assertThat(sweep(MANY, 2)).extracting(Swept::moved, Swept::lag).containsExactly(0, 2L);
		assertThat(this.store.read("holder")).hasSize(2);
		assertThat(sweep(MANY, 1)).extracting(Swept::moved, Swept::lag).containsExactly(1, 1L);
		assertThat(sweep(MANY, 0).moved()).isZero();
	}

	@Test
	void aPausedPartitionMovesNothingButRemovesEndedWindows() {
		States.paused(States.windowsEnded(States.scheduled("a"))).prepare(this.partition);
		Swept swept = sweep(MANY, MANY);
		assertThat(swept).isEqualTo(
				new Swept(0, 0, DUE, false, 0, "", 0, new Read(List.of(), swept.read().nowMicros(), State.PAUSED)));
		assertThat(this.partition.dump().scheduled()).containsOnlyKeys("a");
		assertThat(this.partition.dump().done()).isEmpty();
	}

	@Test
	void onlyEndedWindowsAreRemoved() {
		States.windowsEnded(States.finished()).prepare(this.partition);
		sweep(MANY, MANY);
		assertThat(this.partition.dump().done()).containsOnlyKeys("a", "\0" + TestMessages.token(1));
	}

	@Test
	void aThousandWindowsAreRemovedAtOnceAndMoreIsReported() {
		for (int i = 0; i <= MANY; i++) {
			this.partition.command("ZADD", Key.DONE, Integer.toString(i), "id-" + i);
		}
		assertThat(sweep(MANY, MANY).more()).isTrue();
		assertThat(this.partition.dump().done()).containsOnlyKeys("id-" + MANY);
		assertThat(sweep(MANY, MANY).more()).isFalse();
		assertThat(this.partition.dump().done()).isEmpty();
	}

	@Test
	void anotherLayoutIsRefused() {
		States.scheduled("a").prepare(this.partition);
		this.partition.command("HSET", Key.CONTROL, "layout", "3");
		PartitionDump before = this.partition.dump();
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.store::sweep)
			.withMessageContaining("LAYOUT 3 is stored, 1 and 2 are known")
			.satisfies((failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	private Swept sweep(int batchSize, int highWaterMark) {
		return this.store.sweep(batchSize, highWaterMark, "");
	}

}
