package io.delayqueue.store;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.store.Snapshots.PartitionSnapshot;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that Redis has exactly the content that the oracle expects, and that counts and
 * look-ups agree with it.
 */
final class SequenceAudit {

	private final TestPartition partition;

	private final TestStore store;

	private final Oracle oracle;

	SequenceAudit(TestPartition partition, Oracle oracle) {
		this.partition = partition;
		this.store = partition.store();
		this.oracle = oracle;
	}

	/** Compares everything with the oracle, and finds one message. */
	void afterStep(String id) {
		PartitionDump dump = this.partition.dump();
		this.oracle.entries(dump.entries());
		assertThat(dump.withoutTimes()).isEqualTo(this.oracle.expected());
		assertThat(dump.stream().undelivered()).isEqualTo(this.oracle.undelivered());
		assertThat(Audit.order(dump, this.partition.now(), this.oracle.inFlight())).isEmpty();
		PartitionSnapshot snapshot = this.store.snapshots().of(this.store.partition());
		assertThat(snapshot.scheduled()).isEqualTo(this.oracle.count(MessageState.SCHEDULED));
		assertThat(snapshot.overdue()).isEqualTo(this.oracle.scheduled()
			.filter((message) -> message.placeMillis() <= snapshot.nowMicros() / 1000)
			.count());
		assertThat(snapshot.ready()).isEqualTo(this.oracle.count(MessageState.READY));
		assertThat(snapshot.pending())
			.isEqualTo(this.oracle.count(MessageState.PENDING) + this.oracle.inFlight().size());
		assertThat(snapshot.parked()).isEqualTo(this.oracle.count(MessageState.PARKED));
		assertThat(snapshot.dead()).isEqualTo(this.oracle.count(MessageState.DEAD));
		assertThat(this.store.find(TestMessages.key(id)).map(MessageSnapshot::state))
			.isEqualTo(this.oracle.find(TestMessages.key(id)).map(OracleMessage::state));
	}

}
