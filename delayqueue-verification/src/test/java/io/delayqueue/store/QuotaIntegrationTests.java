package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.GroupMessage;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The number of messages of a group that may wait at once, and the calls that free a
 * slot.
 */
class QuotaIntegrationTests extends GroupOfTwo {

	@Test
	void aMessageForAFullGroupIsRefusedAndNotStored() {
		assertThat(stored(this.store, "a", "b")).containsOnly(Stored.CREATED);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(message("c", DUE))).containsExactly(new Answer(Stored.FULL, 0, List.of()));
		assertThat(this.store.schedule(message("c", DUE))).containsExactly(new Answer(Stored.FULL, 0, List.of()));
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.store.cancel("b", 50)).isEqualTo(KnownMessages.Cancelled.CANCELLED);
		assertThat(stored(this.store, "c", "d")).containsExactly(Stored.CREATED, Stored.FULL);
	}

	@Test
	void aCallFillsAGroupAndStoresMessagesOfOtherGroups() {
		List<Answer> answers = this.store.schedule(message("a", FAR), message("b", DUE), message("c", DUE),
				TestMessages.message("other", DUE, "h", 1), TestMessages.message("none", DUE, 1), message("d", DUE));
		assertThat(answers).extracting(Answer::stored)
			.containsExactly(Stored.CREATED, Stored.CREATED, Stored.FULL, Stored.CREATED, Stored.CREATED, Stored.FULL);
		assertThat(this.partition.dump().messages()).containsOnlyKeys("a\1g", "b\1g", "other\1h", "none");
		assertThat(List.of(count(GROUP), count("h"))).containsExactly(2L, 1L);
	}

	@Test
	void aRepeatedCallKeepsItsOwnSlot() {
		NewMessage[] call = { message("a", DUE), message("b", DUE), message("c", DUE) };
		List<Answer> answers = this.store.schedule(call);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(call)).isEqualTo(answers);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void scheduledParkedReadyAndPendingMessagesHaveASlot() {
		TestStore four = this.partition.store().with(new GroupSettings(4, false, false, 2, null, null, Map.of()));
		four.schedule(message("pending", DUE));
		four.sweep();
		four.read("holder");
		four.schedule(message("ready", DUE), message("parked", DUE + 1), message("scheduled", FAR));
		four.sweep();
		PartitionDump dump = this.partition.dump();
		assertThat(dump.locations("parked")).containsExactly(Key.PARKED);
		assertThat(dump.locations("ready")).containsExactly(Key.ENTRIES);
		assertThat(dump.stream().pending()).hasSize(1);
		assertThat(count(GROUP)).isEqualTo(4);
		assertThat(stored(four, "e")).containsExactly(Stored.FULL);
	}

	/** Ends a message of the group, whose id is a. */
	@FunctionalInterface
	interface End {

		/**
		 * Ends the message, by removal or by dead-lettering.
		 * @param store the store
		 * @param held the entries that a consumer holds
		 */
		void of(TestStore store, List<Entry> held);

	}

	static Stream<Named<End>> ends() {
		return Stream.of(Named.of("acknowledged", (store, held) -> store.acknowledge(first(store, held))),
				Named.of("cancelled", (store, held) -> store.cancel("a", 50)),
				Named.of("cancelled, by another call each time", (store, held) -> {
					store.cancel("a", 51);
					store.cancel("a", 52);
				}), Named.of("ready and cancelled", (store, held) -> {
					store.sweep();
					store.cancel("a", 50);
				}), Named.of("pending and cancelled, then acknowledged", (store, held) -> {
					Entry entry = first(store, held);
					store.cancel("a", 50);
					store.acknowledge(entry);
					store.retry(entry, "it broke");
				}), Named.of("purged", (store, held) -> store.purge(false, "a")),
				Named.of("pending and purged, then acknowledged", (store, held) -> {
					Entry entry = first(store, held);
					store.purge(false, "a");
					store.acknowledge(entry);
				}), Named.of("dead-lettered", (store, held) -> store.deadLetter(first(store, held), "it broke")),
				Named.of("dead-lettered and discarded", (store, held) -> {
					store.deadLetter(first(store, held), "it broke");
					store.discard("a");
				}), Named.of("dead-lettered and purged", (store, held) -> {
					store.deadLetter(first(store, held), "it broke");
					store.purge(true, "a");
				}), Named.of("reclaimed too often", (store, held) -> {
					for (int crash = 0; crash < TestStore.MAX_CRASHES; crash++) {
						store.take("holder-" + crash);
						store.reclaim();
					}
				}));
	}

	@ParameterizedTest
	@MethodSource("ends")
	void aFinishedMessageFreesItsSlotOnce(End end) {
		List<Entry> held = new ArrayList<>();
		stored(this.store, "a");
		this.store.schedule(message("b", FAR));
		end.of(this.store, held);
		assertThat(count(GROUP)).isEqualTo(1);
		end.of(this.store, held);
		assertThat(count(GROUP)).isEqualTo(1);
		assertThat(stored(this.store, "c", "d")).containsExactly(Stored.CREATED, Stored.FULL);
	}

	@Test
	void aParkedMessageFreesItsSlotOnce() {
		TestStore strict = this.partition.store().with(new GroupSettings(2, false, false, 1, null, null, Map.of()));
		stored(strict, "0", "a");
		strict.sweep();
		assertThat(this.partition.dump().locations("a")).containsExactly(Key.PARKED);
		strict.cancel("a", 50);
		strict.purge(true, "a");
		assertThat(count(GROUP)).isEqualTo(1);
		assertThat(this.partition.dump().groups().parked()).isEmpty();
	}

	@Test
	void aMessageWhoseRecordWasRemovedFreesItsSlot() {
		stored(this.store, "a", "b");
		Entry held = this.store.take("holder").get(0);
		this.partition.command("HDEL", Key.MESSAGES, "a");
		this.store.release(1, held);
		assertThat(count(GROUP)).isEqualTo(1);
	}

	@Test
	void aMessageWithASlotIsNotCheckedAgainstTheQuotaAgain() {
		stored(this.store, "a", "b");
		TestStore one = this.partition.store().with(new GroupSettings(1, false, false, 2, null, null, Map.of()));
		assertThat(one.reschedule("b", FAR).moved()).isEqualTo(KnownMessages.Moved.RESCHEDULED);
		assertThat(one.schedule(replacing(message("b", FAR + 1)))).extracting(Answer::stored)
			.containsExactly(Stored.REPLACED);
		assertThat(one.schedule(TestMessages.onDuplicate(DuplicatePolicy.postpone(Duration.ofDays(1)),
				TestMessages.message("b", FAR, GROUP, 77))))
			.extracting(Answer::stored)
			.containsExactly(Stored.POSTPONED);
		one.release(DUE, one.take("holder").get(0));
		one.retry(one.take("holder").get(0), "it broke");
		one.take("holder");
		assertThat(one.schedule(replacing(message("a", DUE)))).extracting(Answer::stored)
			.containsExactly(Stored.REPLACED);
		one.take("holder");
		assertThat(one.reclaim().messages()).extracting(Leases.Reclaimed::id).containsExactly("a");
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(stored(one, "c")).containsExactly(Stored.FULL);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Tag("slow")
	@Test
	void theOldestMessageThatIsNotActiveIsDroppedBehindAnyNumberOfActiveOnes() {
		TestStore many = this.partition.store().with(new GroupSettings(400, true, false, 0, 150, null, Map.of()));
		many.schedule(messages(0, 150, DUE));
		many.sweep();
		many.take("holder");
		many.schedule(messages(150, 400, FAR));
		List<String> dropped = many.schedule(messages(400, 520, FAR + 1))
			.stream()
			.flatMap((answer) -> answer.dropped().stream())
			.toList();
		assertThat(dropped)
			.containsExactly(Stream.of(messages(150, 270, FAR)).map(NewMessage::id).toArray(String[]::new));
		assertThat(count(GROUP)).isEqualTo(400);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	private static NewMessage[] messages(int from, int to, long due) {
		return IntStream.range(from, to)
			.mapToObj((number) -> message(String.format("m-%03d", number), due))
			.toArray(NewMessage[]::new);
	}

	@ParameterizedTest
	@ValueSource(strings = { "gg", "g0", "g ", "g\u00e9", "ga", "用户g", "G", "g0000000000002000" })
	void groupsWithACommonPrefixAreDistinguished(String other) {
		for (String[] pair : new String[][] { { GROUP, other }, { other, GROUP } }) {
			try (TestPartition there = TestPartition.shared()) {
				TestStore drops = there.store().with(YOUNGEST_TWO);
				drops.schedule(TestMessages.message("o-1", DUE - 9, pair[1], 1),
						TestMessages.message("o-2", DUE - 8, pair[1], 2));
				drops.schedule(TestMessages.message("m-1", DUE, pair[0], 3));
				assertThat(drops.groups().count(drops.partition(), pair[0])).isEqualTo(1);
				assertThat(drops.groups().count(drops.partition(), pair[1])).isEqualTo(2);
				assertThat(drops.schedule(TestMessages.message("m-2", DUE + 1, pair[0], 4)).get(0).dropped()).isEmpty();
				assertThat(drops.schedule(TestMessages.message("m-3", DUE + 2, pair[0], 5)).get(0).dropped())
					.containsExactly("m-1");
				assertThat(drops.groups().list(drops.partition(), pair[0], null, 10).messages())
					.extracting(GroupMessage::id)
					.containsExactly("m-2", "m-3");
				assertThat(drops.sweep()).isEqualTo(4);
				assertThat(drops.purge(false, "o-1", "o-2").waiting()).isEqualTo(2);
				assertThat(drops.groups().count(drops.partition(), pair[0])).isEqualTo(2);
				assertThat(drops.groups().count(drops.partition(), pair[1])).isZero();
			}
		}
	}

	@Test
	void messagesWithoutAGroupHaveNoQuota() {
		for (int i = 0; i < 5; i++) {
			assertThat(this.store.schedule("id-" + i, DUE, i).stored()).isEqualTo(Stored.CREATED);
		}
		assertThat(this.partition.dump().groups()).isEqualTo(new GroupDump());
	}

	private static Entry first(TestStore store, List<Entry> held) {
		if (held.isEmpty()) {
			held.addAll(store.take("holder"));
		}
		return held.get(0);
	}

}
