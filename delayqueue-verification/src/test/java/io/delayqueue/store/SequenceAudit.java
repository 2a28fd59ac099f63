package io.delayqueue.store;

import java.util.List;
import java.util.Set;

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
	void afterStep(PartitionDump dump, String id) {
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

	/**
	 * After all that is due was handled: every message waits for its due time, or is a
	 * dead letter. Until a repair, a message with a group may also be parked, because a
	 * stopped script has not given it a free slot.
	 */
	void atRest(List<String> handled, boolean isRepaired) {
		PartitionDump dump = this.partition.dump();
		assertThat(handled).doesNotHaveDuplicates();
		assertThat(dump.stream().pending()).isEmpty();
		assertThat(dump.stream().entries()).isEmpty();
		long now = this.partition.now();
		dump.messages().keySet().forEach((name) -> {
			List<Key> locations = dump.locations(name);
			boolean waits = dump.scheduled().getOrDefault(name, 0L) > now || dump.dead().containsKey(name);
			assertThat(waits || (!isRepaired && locations.contains(Key.PARKED)))
				.as("%s, in %s, is at rest", name, locations)
				.isTrue();
		});
		if (isRepaired) {
			// The due time in the group may be that of a reschedule or a replace that
			// stopped
			assertThat(Audit.order(dump, now, Set.of())).filteredOn((fault) -> !fault.contains(" is stored as "))
				.isEmpty();
		}
	}

}
