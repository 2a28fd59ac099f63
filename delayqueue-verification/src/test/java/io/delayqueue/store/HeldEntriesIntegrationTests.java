package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls that take a message away from its consumer name its stream entry; other calls
 * name none.
 */
class HeldEntriesIntegrationTests {

	private static final int CALL = 60;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void cancelNamesTheEntryOfAPendingMessageOnce() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		TestStore call = this.store.repeating(CALL);
		assertThat(call.cancel("a", CALL)).isEqualTo(Cancelled.IN_FLIGHT);
		assertThat(call.heldEntries()).containsExactly(held.entry());

		assertThat(call.cancel("a", CALL)).as("repeat").isEqualTo(Cancelled.IN_FLIGHT);
		assertThat(call.heldEntries()).hasSize(1);
	}

	@Test
	void cancelOfAMessageThatNoConsumerHoldsNamesNoEntry() {
		States.dead().prepare(this.partition);
		this.store.cancel("a", CALL);
		States.ready("b").prepare(this.partition);
		this.store.cancel("b", CALL + 1);
		States.scheduled("c").prepare(this.partition);
		this.store.cancel("c", CALL + 2);
		this.store.cancel("unknown", CALL + 3);
		assertThat(this.store.heldEntries()).isEmpty();
	}

	@Test
	void purgeNamesTheEntriesOfPendingMessages() {
		this.store.schedule("a", DUE, 1);
		this.store.schedule("b", DUE, 2);
		List<Entry> held = this.store.take("holder");
		this.store.schedule("c", DUE, 3);
		TestStore call = this.store.repeating(CALL);
		call.purge(false, "a", "c", "b");
		assertThat(call.heldEntries()).containsExactlyInAnyOrderElementsOf(held.stream().map(Entry::entry).toList());

		call.purge(false, "a", "c", "b");
		assertThat(call.heldEntries()).as("repeat").hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void replaceNamesTheEntryOfAPendingMessage(boolean postpone) {
		DuplicatePolicy policy = postpone ? DuplicatePolicy.postpone(Duration.ofDays(1)) : DuplicatePolicy.replace();
		Entry held = States.pending("a").prepare(this.partition).get(0);
		assertThat(schedule(policy, 2)).isEqualTo(postpone ? Stored.POSTPONED : Stored.REPLACED);
		assertThat(this.store.heldEntries()).containsExactly(held.entry());

		assertThat(schedule(policy, 2)).as("repeat").isEqualTo(postpone ? Stored.POSTPONED : Stored.REPLACED);
		assertThat(schedule(policy, 3)).as("scheduled by now").isEqualTo(postpone ? Stored.POSTPONED : Stored.REPLACED);
		assertThat(this.store.heldEntries()).hasSize(1);
	}

	private Stored schedule(DuplicatePolicy policy, int token) {
		return this.store.schedule(TestMessages.onDuplicate(policy, TestMessages.message("a", DUE, token)))
			.get(0)
			.stored();
	}

	@Test
	void onlyTheEntryOfTheCurrentDeliveryIsCurrent() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		assertThat(this.store.leases().current(this.store.partition(), TestMessages.ids("a", "unknown")))
			.containsExactly(held.entry(), null);
		this.store.cancel("a", CALL);
		assertThat(this.store.leases().current(this.store.partition(), TestMessages.ids("a")))
			.containsExactly((String) null);
	}

}
