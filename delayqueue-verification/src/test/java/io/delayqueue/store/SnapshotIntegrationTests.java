package io.delayqueue.store;

import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class SnapshotIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void anEmptyPartitionCountsNothing() {
		PartitionSnapshot snapshot = snapshot();
		assertThat(snapshot).isEqualTo(new PartitionSnapshot(0, 0, 0, 0, 0, 0, 0, -1, 0, 0, snapshot.nowMicros(), 0, 0,
				0, -1, false, 0, 0, -1));
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	@Test
	void eachMessageCountsInItsState() {
		States.dead().prepare(this.partition);
		States.ready("b", "c").prepare(this.partition);
		this.store.ready().read(this.store.partition(), "one", 1);
		States.ready("d", "e").prepare(this.partition);
		this.store.ready().read(this.store.partition(), "two", 1);
		States.scheduled("f", "g", "h").prepare(this.partition);
		this.store.schedule("late", FAR, 1);
		PartitionDump before = this.partition.dump();
		PartitionSnapshot snapshot = snapshot();
		assertThat(snapshot.scheduled()).isEqualTo(4);
		assertThat(snapshot.overdue()).isEqualTo(3);
		assertThat(snapshot.ready()).isEqualTo(2);
		assertThat(snapshot.pending()).isEqualTo(2);
		assertThat(snapshot.dead()).isEqualTo(1);
		assertThat(snapshot.consumers()).isEqualTo(3);
		assertThat(snapshot.nextDueMillis()).isEqualTo(DUE);
		assertThat(snapshot.oldestOverdueMillis()).isEqualTo(snapshot.nowMicros() / 1000 - DUE);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void messagesThatAreNotDueAreNotOverdue() {
		this.store.schedule("late", FAR, 1);
		PartitionSnapshot snapshot = snapshot();
		assertThat(snapshot.overdue()).isZero();
		assertThat(snapshot.oldestOverdueMillis()).isZero();
		assertThat(snapshot.nextDueMillis()).isEqualTo(FAR);
	}

	@Test
	void theLongestIdleTimeOfAPendingMessageIsReturned() {
		Entry held = States.pending("a", "b").prepare(this.partition).get(1);
		this.partition.command("XCLAIM", Key.READY, KeySpace.GROUP, "holder", "0", held.entry(), "IDLE", "3600000",
				"JUSTID");
		assertThat(snapshot().oldestPendingIdleMillis()).isGreaterThanOrEqualTo(3_600_000);
	}

	@Test
	void theAgeOfTheOldestReadyMessageIsReturned() {
		assertThat(snapshot().oldestReadyMillis()).isZero();
		States.pending("a").prepare(this.partition);
		assertThat(snapshot().oldestReadyMillis()).as("while it is pending").isZero();
		States.ready("b", "c").prepare(this.partition);
		String oldest = this.partition.dump().entries().get("b");
		long since = Long.parseLong(oldest.substring(0, oldest.indexOf('-')));

		await().until(() -> snapshot().oldestReadyMillis() > 20);

		PartitionSnapshot snapshot = snapshot();
		assertThat(snapshot.oldestReadyMillis()).isEqualTo(snapshot.nowMicros() / 1000 - since);
	}

	@Test
	void aPauseIsReturned() {
		States.paused(States.nothing()).prepare(this.partition);
		assertThat(snapshot().pausedSinceMillis()).isEqualTo(1000);
	}

	private PartitionSnapshot snapshot() {
		return this.store.snapshots().of(this.store.partition());
	}

}
