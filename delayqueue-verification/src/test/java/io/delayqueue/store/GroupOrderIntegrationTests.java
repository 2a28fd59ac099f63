package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.MoveAnswer;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.ReadyMessages.Read.State;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * In which order the parked messages of a group become ready, and which messages block
 * them.
 */
class GroupOrderIntegrationTests extends OrderedGroup {

	@Test
	void dueMessagesOfAFullGroupAreParked() {
		schedule("a", DUE, "b", DUE + 2, "c", DUE + 1);
		Swept swept = sweep(this.strict);
		assertThat(swept)
			.isEqualTo(new Swept(1, 1, -1, false, 2, "", 0, new Read(List.of(), swept.read().nowMicros(), State.OPEN)));
		String entry = this.partition.dump().entries().get("a\1g");
		PartitionDump expected = messages("a", DUE, "b", DUE + 2, "c", DUE + 1).ready("a", entry)
			.active("a", GROUP)
			.parked("b", DUE + 2, GROUP)
			.parked("c", DUE + 1, GROUP)
			.build();
		assertThat(this.partition.dump()).isEqualTo(expected);
		assertThat(sweep(this.strict).moved()).isZero();
		assertThat(this.partition.dump()).isEqualTo(expected);
	}

	@Test
	void theOldestParkedMessageFollows() {
		schedule("a", DUE, "b", DUE + 2, "c", DUE + 1);
		Entry a = this.strict.take("holder").get(0);
		PendingMessages.Settlements settled = this.strict.pending()
			.acknowledge(this.strict.partition(), TestStore.WINDOW,
					List.of(TestStore.acknowledgement(a, TestStore.WINDOW)));
		assertThat(settled.unparked()).isEqualTo(1);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.withoutTimes()).isEqualTo(messages("b", DUE + 2, "c", DUE + 1).scheduled("c", DUE + 1)
			.parked("b", DUE + 2, GROUP)
			.delivered(a.entry())
			.done("a\1" + GROUP, 0)
			.done("\0" + token("a"), 0)
			.build());
		assertThat(handleAll(this.strict)).containsExactly("c", "b");
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	@Test
	void aRetryForLaterBlocksItsGroupAndIsNotRepaired() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.retry(this.strict.take("holder").get(0), Duration.ofHours(1), "it broke", true);
		PartitionDump before = this.partition.dump();

		assertThat(this.strict.repair()).isEmpty();

		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aReleaseForLaterBlocksItsGroupEvenAfterARepair() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.release(FAR, this.strict.take("holder").get(0));
		PartitionDump before = this.partition.dump();

		assertThat(this.strict.repair()).isEmpty();

		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.strict.sweep()).isZero();
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE), "a");
		Entry a = this.strict.take("other").get(0);
		assertThat(a.id()).isEqualTo("a");
		assertThat(a.failures()).as("no failure counted").isEqualTo(new FailureRecord(0, 0, 0, null));
	}

	/** Returns a message, due at once, with its active slot in its group. */
	@FunctionalInterface
	interface GiveBack {

		/**
		 * Returns it.
		 * @param store the store
		 * @param held the entries that a consumer holds
		 */
		void of(TestStore store, Entry held);

	}

	static Stream<Named<GiveBack>> withItsSlot() {
		return Stream.of(
				Named.of("retry",
						(store, held) -> assertThat(store.retry(held, Duration.ZERO, "it broke", true).unparked())
							.isZero()),
				Named.of("defer", (store, held) -> store.retry(held, Duration.ZERO, null, true)),
				Named.of("release", (store, held) -> store.release(DUE, held)),
				Named.of("reclaim", (store, held) -> store.reclaim()));
	}

	@ParameterizedTest
	@MethodSource("withItsSlot")
	void theHeadOfAStrictGroupBlocksTheNextOnesUntilItIsFinished(GiveBack giveBack) {
		schedule("a", DUE, "b", DUE + 1);
		Entry held = this.strict.take("holder").get(0);
		giveBack.of(this.strict, held);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.locations("a")).containsExactly(Key.SCHEDULED);
		assertThat(dump.groups()).isEqualTo(
				messages("a", DUE, "b", DUE + 1).active("a", GROUP).parked("b", DUE + 1, GROUP).build().groups());
		// The message also becomes ready before an older one that was scheduled meanwhile
		schedule("older", DUE - 1);
		assertThat(this.strict.take("holder")).extracting(Entry::id).containsExactly("a");
		assertThat(this.partition.dump().groups().parked()).containsExactly(GroupDump.member(GROUP, DUE - 1, "older"),
				GroupDump.member(GROUP, DUE + 1, "b"));
		assertThat(handleAll(this.strict)).isEmpty();
		this.strict.acknowledge(current("a"));
		assertThat(handleAll(this.strict)).containsExactly("older", "b");
	}

	@Test
	void theHeadOfAStrictGroupWaitsForItsRetryWithItsSlot() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.retry(this.strict.take("holder").get(0), Duration.ofDays(1), "it broke", true);
		Swept swept = sweep(this.strict);
		assertThat(List.of(swept.moved(), swept.parked())).containsExactly(0, 0);
		assertThat(this.partition.dump().locations("b")).containsExactly(Key.PARKED);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
		assertThat(this.strict.cancel("a", 50)).isEqualTo(Cancelled.CANCELLED);
		assertThat(handleAll(this.strict)).containsExactly("b");
	}

	/** Removes a ready or pending message; returns how many were unparked. */
	@FunctionalInterface
	interface Leave {

		/**
		 * Removes it.
		 * @param store the store
		 * @param held the entries that a consumer holds
		 * @return how many messages were unparked, -1 if unknown
		 */
		long of(TestStore store, Entry held);

	}

	static Stream<Named<Leave>> leaving() {
		return Stream.of(
				Named.of("acknowledge",
						(store, held) -> store.pending()
							.acknowledge(store.partition(), TestStore.WINDOW,
									List.of(TestStore.acknowledgement(held, TestStore.WINDOW)))
							.unparked()),
				Named.of("retry", (store, held) -> store.retry(held, Duration.ofDays(1), "it broke", false).unparked()),
				Named.of("dead-letter", (store, held) -> store.pending()
					.settle(store.partition(),
							List.of(new PendingMessages.Death(held.entry(), held.storedId(), "it broke", true, false)))
					.unparked()),
				Named.of("dead-letter that counts",
						(store, held) -> store.pending()
							.settle(store.partition(),
									List.of(new PendingMessages.Death(held.entry(), held.storedId(), "it broke", true,
											true)))
							.unparked()),
				Named.of("cancel",
						(store, held) -> store.known()
							.cancel(store.candidate(TestMessages.key(held.id())),
									TestMessages.token(50 + held.id().charAt(0)), TestStore.WINDOW)
							.unparked()),
				Named.of("purge", (store, held) -> -store.purge(false, held.id()).inFlight()),
				Named.of("replace",
						(store, held) -> store
							.schedule(store.partition(), store.settings(),
									List.of(TestMessages.onDuplicate(DuplicatePolicy.replace(),
											TestMessages.message(held.id(), FAR, GROUP, 500 + held.id().charAt(0)))))
							.unparked()));
	}

	@ParameterizedTest
	@MethodSource("leaving")
	void everyRemovalUnparksTheNextByDueTime(Leave leave) {
		schedule("a", DUE, "b", DUE, "c", DUE);
		List<Entry> held = this.three.take("holder");
		// The order is not that of the calls or ids, except for the last two, which are
		// in the order of their ids
		schedule("v", DUE + 3, "w", DUE + 2, "z", DUE + 4, "y", DUE + 4, "x", DUE + 1);
		assertThat(sweep(this.three).parked()).isEqualTo(5);
		List<String> next = List.of("x", "w", "v");
		for (int i = 0; i < 3; i++) {
			assertThat(Math.abs(leave.of(this.three, held.get(i)))).as("number %s of %s", i, this.partition.dump())
				.isEqualTo(1);
			assertThat(this.partition.dump().locations(next.get(i))).containsExactly(Key.SCHEDULED);
			assertThat(this.three.sweep()).isEqualTo(1);
			assertThat(this.partition.dump().groups().active()).hasSize(3);
		}
		assertThat(this.three.read("holder")).map(Entry::id)
			.filteredOn((id) -> id.compareTo("c") > 0)
			.containsExactly("x", "w", "v");
		assertThat(this.partition.dump().groups().parked()).containsExactly(GroupDump.member(GROUP, DUE + 4, "y"),
				GroupDump.member(GROUP, DUE + 4, "z"));
	}

	@Test
	void theMessagesOfOneCallUnparkAsManyAsTheyFreeSlots() {
		schedule("a", DUE, "b", DUE, "c", DUE);
		List<Entry> held = this.three.take("holder");
		schedule("x", DUE + 1, "y", DUE + 2, "z", DUE + 3);
		assertThat(sweep(this.three).parked()).isEqualTo(3);

		PendingMessages.Settlements settled = this.three.settleMixed(held);

		assertThat(settled.each()).containsOnly(PendingMessages.Settled.COUNTED);
		assertThat(settled.unparked()).isEqualTo(2);
		assertThat(this.partition.dump().groups().active()).containsExactly(GROUP + "\0a\1" + GROUP);
		assertThat(this.partition.dump().groups().parked()).containsExactly(GroupDump.member(GROUP, DUE + 3, "z"));
		assertThat(this.partition.dump().locations("x")).containsExactly(Key.SCHEDULED);
		assertThat(this.partition.dump().locations("y")).containsExactly(Key.SCHEDULED);
	}

	@Test
	void aCrashedMessageFreesItsSlotOnceItIsDeadLettered() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.take("holder");
		this.partition.command("HSET", Key.FAILURES, "a", States.CRASHED_TWICE);
		this.strict.reclaim();
		assertThat(this.partition.dump().dead()).containsOnlyKeys("a\1g");
		assertThat(handleAll(this.strict)).containsExactly("b");
	}

	@Test
	void reschedulingAReadyMessageFreesItsSlot() {
		schedule("a", DUE, "b", DUE + 1);
		sweep(this.strict);
		MoveAnswer moved = this.strict.reschedule("a", FAR);
		assertThat(moved.unparked()).isEqualTo(1);
		assertThat(this.partition.dump().withoutTimes().withoutStream().groups())
			.isEqualTo(messages("a", FAR, "b", DUE + 1).build().groups());
		assertThat(handleAll(this.strict)).containsExactly("b");
	}

}
