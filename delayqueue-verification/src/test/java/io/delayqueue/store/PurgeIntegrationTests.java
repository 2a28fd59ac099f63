package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

class PurgeIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void waitingMessagesAreRemovedAndARepeatDoesNotRestoreThem() {
		States.failedTwice(States.ready("a")).prepare(this.partition);
		this.store.schedule("b", DUE, 2);
		long before = this.partition.now();

		assertThat(this.store.repeating(60).purge(false, "a", "b", "unknown")).isEqualTo(new Purged(3, 2, 0, 0));

		PartitionDump dump = this.partition.dump();
		assertThat(dump.ids()).isEmpty();
		assertThat(dump.stream().entries()).isEmpty();
		assertThat(dump.done()).containsOnlyKeys("\0" + TestMessages.token(1), "\0" + TestMessages.token(2),
				"looked\0" + TestMessages.token(60), "waited\0" + TestMessages.token(60));
		assertThat(dump.done().values()).allSatisfy(
				(ends) -> assertThat(ends - TestStore.WINDOW.toMillis()).isBetween(before - 1, this.partition.now()));
		assertThat(this.store.schedule("a", DUE, 1).stored()).isEqualTo(Stored.ENDED);
		assertThat(this.store.schedule("b", DUE, 2).stored()).isEqualTo(Stored.ENDED);
		assertThat(this.store.schedule("b", DUE, 3).stored()).isEqualTo(Stored.CREATED);
	}

	@Test
	void pendingMessagesAreRemovedAndTheirSettlementDoesNotCount() {
		Entry held = States.failedTwice(States.pending("a")).prepare(this.partition).get(0);

		assertThat(this.store.purge(false, "a")).isEqualTo(new Purged(1, 0, 1, 0));

		PartitionDump dump = this.partition.dump();
		assertThat(dump.ids()).isEmpty();
		assertThat(dump.stream().pending()).containsOnlyKeys(held.entry());
		assertThat(this.store.retry(held, "it broke")).isEqualTo(Settled.GONE);
		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(this.partition.dump().stream().entries()).isEmpty();
	}

	@Test
	void deadLettersStayUnlessRequested() {
		States.dead().prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.purge(false, "a")).isEqualTo(new Purged(1, 0, 0, 0));
		assertThat(this.partition.dump()).isEqualTo(before);

		assertThat(this.store.purge(true, "a")).isEqualTo(new Purged(1, 0, 0, 1));
		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(this.store.schedule("a", DUE, 1).stored()).isEqualTo(Stored.ENDED);
	}

	@Test
	void neitherDeliverySettlesAPurgedMessageThatIsPendingTwice() {
		List<Entry> held = States.pendingTwice().prepare(this.partition);

		assertThat(this.store.purge(false, "a")).isEqualTo(new Purged(1, 0, 1, 0));

		assertThat(this.store.acknowledge(held.get(0), held.get(1))).containsExactly(Settled.GONE, Settled.GONE);
		assertThat(this.partition.dump().stream().entries()).isEmpty();
	}

	@Test
	void aRepeatIgnoresMessagesScheduledSince() {
		this.store.schedule("a", DUE, 1);
		this.store.take("holder");
		this.store.schedule("b", DUE, 2);
		TestStore call = this.store.repeating(60);
		assertThat(call.purge(true, "a", "b", "c")).isEqualTo(new Purged(3, 1, 1, 0));
		this.store.schedule("a", DUE, 3);
		this.store.schedule("c", DUE, 4);
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
		this.store.schedule("b", DUE, 5);
		PartitionDump before = this.partition.dump();

		assertThat(call.purge(true, "a", "b", "c")).isEqualTo(new Purged(3, 1, 1, 0));

		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.store.purge(true, "a", "b", "c")).isEqualTo(new Purged(3, 1, 0, 2));
	}

	/** As every script that adds windows. */
	@Test
	void endedWindowsAreRemoved() {
		States.windowsEnded(States.scheduled("a")).prepare(this.partition);
		this.store.purge(false, "a");
		assertThat(this.partition.dump().done()).isNotEmpty().doesNotContainKeys("x", "y");
	}

	@Test
	void largeRecordsAreLeftForAnotherCall() {
		String large = "x".repeat(200 * 1024);
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			this.store.schedule(TestMessages.message("large-" + i, Due.at(Instant.ofEpochMilli(DUE)), i, large));
			ids.add("large-" + i);
		}
		TestStore call = this.store.repeating(60);
		assertThat(call.purge(false, ids.toArray(String[]::new))).isEqualTo(new Purged(2, 2, 0, 0));
		assertThat(call.purge(false, ids.toArray(String[]::new))).isEqualTo(new Purged(2, 2, 0, 0));
		assertThat(this.partition.dump().messages()).hasSize(3);
		assertThat(this.store.purge(false, ids.subList(2, 5).toArray(String[]::new))).isEqualTo(new Purged(2, 2, 0, 0));
		assertThat(this.store.purge(false, "large-4")).isEqualTo(new Purged(1, 1, 0, 0));
		assertThat(this.partition.dump().ids()).isEmpty();
	}

}
