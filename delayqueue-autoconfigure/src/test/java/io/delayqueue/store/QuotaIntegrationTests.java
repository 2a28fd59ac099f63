package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.GroupMessage;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.NewMessage;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many messages of a group may wait at once, and which of them make room.
 */
class QuotaIntegrationTests {

	private static final String GROUP = "g";

	/** Two messages of a group wait, and two may run. */
	private static final GroupSettings TWO = new GroupSettings(2, false, false, 2, null, Map.of());

	private static final GroupSettings TWO_OR_DEAD = new GroupSettings(2, false, true, 2, null, Map.of());

	private static final GroupSettings YOUNGEST_TWO = new GroupSettings(2, true, false, 2, null, Map.of());

	private static final GroupSettings YOUNGEST_TWO_OR_DEAD = new GroupSettings(2, true, true, 2, null, Map.of());

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store().with(TWO);

	private final TestStore dropping = this.partition.store().with(YOUNGEST_TWO);

	@Test
	void whatComesToAFullGroupIsRefusedAndLeavesNoTrace() {
		assertThat(stored(this.store, "a", "b")).containsOnly(Stored.CREATED);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(message("c", DUE))).containsExactly(new Answer(Stored.FULL, 0, List.of()));
		assertThat(this.store.schedule(message("c", DUE))).containsExactly(new Answer(Stored.FULL, 0, List.of()));
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.store.cancel("b", 50)).isEqualTo(ScheduledMessages.Cancelled.CANCELLED);
		assertThat(stored(this.store, "c", "d")).containsExactly(Stored.CREATED, Stored.FULL);
	}

	@Test
	void aCallFillsAGroupAndWhatIsOfOthersGoesOn() {
		List<Answer> answers = this.store.schedule(message("a", FAR), message("b", DUE), message("c", DUE),
				TestStore.message("other", DUE, "h", 1), TestStore.message("none", DUE, 1), message("d", DUE));
		assertThat(answers).extracting(Answer::stored)
			.containsExactly(Stored.CREATED, Stored.CREATED, Stored.FULL, Stored.CREATED, Stored.CREATED, Stored.FULL);
		assertThat(this.partition.dump().messages()).containsOnlyKeys("a", "b", "other", "none");
		assertThat(List.of(count(GROUP), count("h"))).containsExactly(2L, 1L);
	}

	@Test
	void theCallThatIsRepeatedFindsItsOwnPlace() {
		NewMessage[] call = { message("a", DUE), message("b", DUE), message("c", DUE) };
		List<Answer> answers = this.store.schedule(call);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(call)).isEqualTo(answers);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void whatIsScheduledParkedReadyOrPendingHasAPlace() {
		TestStore four = this.partition.store().with(new GroupSettings(4, false, false, 2, null, Map.of()));
		four.schedule(message("pending", DUE));
		four.sweep();
		four.read("holder");
		four.schedule(message("ready", DUE), message("parked", DUE + 1), message("scheduled", FAR));
		four.sweep();
		PartitionDump dump = this.partition.dump();
		assertThat(dump.places("parked")).containsExactly(Key.PARKED);
		assertThat(dump.places("ready")).containsExactly(Key.ENTRIES);
		assertThat(dump.stream().pending()).hasSize(1);
		assertThat(count(GROUP)).isEqualTo(4);
		assertThat(stored(four, "e")).containsExactly(Stored.FULL);
	}

	/** Ends a message of the group, whose id is a. */
	@FunctionalInterface
	interface End {

		/**
		 * Ends it, for good or among the dead letters.
		 * @param store the store
		 * @param held what a consumer has
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
	void whatEndsFreesItsPlaceOnce(End end) {
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
	void whatIsParkedFreesItsPlaceOnce() {
		TestStore strict = this.partition.store().with(new GroupSettings(2, false, false, 1, null, Map.of()));
		stored(strict, "0", "a");
		strict.sweep();
		assertThat(this.partition.dump().places("a")).containsExactly(Key.PARKED);
		strict.cancel("a", 50);
		strict.purge(true, "a");
		assertThat(count(GROUP)).isEqualTo(1);
		assertThat(this.partition.dump().groups().parked()).isEmpty();
	}

	@Test
	void aMessageWhoseRecordOthersHaveRemovedFreesItsPlace() {
		stored(this.store, "a", "b");
		Entry held = this.store.take("holder").get(0);
		this.partition.command("HDEL", Key.MESSAGES, "a");
		this.store.release(1, held);
		assertThat(count(GROUP)).isEqualTo(1);
	}

	@Test
	void deadLettersKeepTheirPlacesOnlyIfTheyCount() {
		TestStore counting = this.partition.store().with(TWO_OR_DEAD);
		stored(counting, "a", "b");
		counting.deadLetter(counting.take("holder").get(0), "it broke");
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(stored(counting, "c")).containsExactly(Stored.FULL);

		assertThat(counting.discard("a")).isEqualTo(1);
		assertThat(counting.discard("a")).isZero();
		assertThat(count(GROUP)).isEqualTo(1);
		assertThat(stored(counting, "c", "d")).containsExactly(Stored.CREATED, Stored.FULL);
	}

	@Test
	void deadLettersThatCountFreeTheirPlacesHoweverTheyGo() {
		TestStore counting = this.partition.store().with(new GroupSettings(9, false, true, 9, null, Map.of()));
		stored(counting, "a", "b", "c", "d");
		counting.take("holder").forEach((entry) -> counting.deadLetter(entry, "it broke"));
		assertThat(count(GROUP)).isEqualTo(4);
		counting.cancel("a", 50);
		counting.cancel("a", 51);
		assertThat(count(GROUP)).isEqualTo(3);
		counting.purge(true, "b");
		assertThat(count(GROUP)).isEqualTo(2);
		// Has its place already
		assertThat(this.partition.store().with(TWO).redrive("c").redriven()).isEqualTo(1);
		assertThat(count(GROUP)).isEqualTo(2);
		counting.schedule(replacing(message("d", FAR)));
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void aCrashThatSetsAsideCountsAsItsQueueSays() {
		TestStore counting = this.partition.store().with(TWO_OR_DEAD);
		stored(counting, "a");
		this.partition.command("HSET", Key.FAILURES, "a", States.CRASHED_TWICE);
		counting.take("holder");
		assertThat(counting.reclaim().messages()).extracting(Leases.Reclaimed::dead).containsExactly(true);
		assertThat(count(GROUP)).isEqualTo(1);
	}

	@Test
	void eachDeadLetterThatFindsNoRoomIsRefusedAndStaysAsItIs() {
		stored(this.store, "a", "b");
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
		this.store.schedule(message("c", FAR), TestStore.message("other", DUE, "h", 1));
		this.store.deadLetter(this.store.take("holder").get(0), "it broke");
		PartitionDump before = this.partition.dump();

		Redriven redriven = this.store.redrive("a", "b", "other");

		assertThat(redriven.redriven()).isEqualTo(2);
		assertThat(redriven.refused()).containsExactly("b");
		PartitionDump after = this.partition.dump();
		assertThat(after.dead()).isEqualTo(Map.of("b", before.dead().get("b")));
		assertThat(after.failures()).isEqualTo(Map.of("b", before.failures().get("b")));
		assertThat(after.scheduled()).containsOnlyKeys("a", "c", "other");
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(this.store.redrive("b").refused()).containsExactly("b");
		assertThat(this.partition.dump()).isEqualTo(after);

		this.store.cancel("c", 50);
		assertThat(this.store.redrive("b", "a")).extracting(Redriven::redriven, Redriven::refused)
			.containsExactly(1, List.of());
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(this.partition.store().redrive("b").redriven()).isZero();
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void withoutAQuotaEveryDeadLetterIsRedriven() {
		stored(this.store, "a", "b");
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
		stored(this.store, "c", "d");
		assertThat(this.partition.store().redrive("a", "b").redriven()).isEqualTo(2);
		assertThat(count(GROUP)).isEqualTo(4);
	}

	@Test
	void whatHasItsPlaceIsNeverAskedAgain() {
		stored(this.store, "a", "b");
		TestStore one = this.partition.store().with(new GroupSettings(1, false, false, 2, null, Map.of()));
		assertThat(one.reschedule("b", FAR).moved()).isEqualTo(ScheduledMessages.Moved.RESCHEDULED);
		assertThat(one.schedule(replacing(message("b", FAR + 1)))).extracting(Answer::stored)
			.containsExactly(Stored.REPLACED);
		assertThat(one.schedule(TestStore.onDuplicate(DuplicatePolicy.postpone(Duration.ofDays(1)),
				TestStore.message("b", FAR, GROUP, 77))))
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

	@Test
	void aDeadLetterWithoutAPlaceIsReplacedOnlyIfThereIsRoom() {
		stored(this.store, "a");
		this.store.deadLetter(this.store.take("holder").get(0), "it broke");
		stored(this.store, "b", "c");
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(replacing(message("a", FAR)))).extracting(Answer::stored)
			.containsExactly(Stored.FULL);
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.dropping.schedule(replacing(message("a", FAR))))
			.containsExactly(new Answer(Stored.REPLACED, FAR, List.of("b")));
		assertThat(count(GROUP)).isEqualTo(2);
	}

	@Test
	void theOldestMakesRoomAndLeavesNothingButItsTombstone() {
		this.dropping.schedule(TestStore.expiring(TestStore.message("young", DUE + 5, GROUP, 1), Expiry.NEVER),
				TestStore.expiring(TestStore.message("z-old", DUE + 1, GROUP, 2), Expiry.after(Duration.ofDays(1))),
				TestStore.message("bystander", DUE - 1, "h", 3), TestStore.message("none", DUE - 1, 4));
		// Its place is late, its due time is not
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(FAR), "z-old");
		this.partition.command("HSET", Key.FAILURES, "z-old", States.FAILED_TWICE);
		long from = this.partition.now() + TestStore.WINDOW.toMillis();

		List<Answer> answers = this.dropping.schedule(TestStore.message("new", DUE, GROUP, 5));

		assertThat(answers).containsExactly(new Answer(Stored.CREATED, DUE, List.of("z-old")));
		PartitionDump after = this.partition.dump();
		assertThat(after.withoutTimes()).isEqualTo(new ExpectedDump().record("young", record("young", DUE + 5, 1))
			.scheduled("young", DUE + 5)
			.grouped("young", DUE + 5, GROUP)
			.record("new", record("new", DUE, 5))
			.scheduled("new", DUE)
			.grouped("new", DUE, GROUP)
			.record("bystander",
					"1%016d%s".formatted(DUE - 1, Reply.text(TestStore.message("bystander", DUE, "h", 3).envelope())))
			.scheduled("bystander", DUE - 1)
			.grouped("bystander", DUE - 1, "h")
			.message("none", DUE - 1, 4)
			.scheduled("none", DUE - 1)
			.done("\0" + TestStore.token(2), 0)
			.build());
		assertThat(after.done().get("\0" + TestStore.token(2))).isBetween(from,
				this.partition.now() + TestStore.WINDOW.toMillis());
		assertThat(this.dropping.schedule(TestStore.message("z-old", DUE + 1, GROUP, 2))).extracting(Answer::stored)
			.containsExactly(Stored.ENDED);
		assertThat(this.partition.dump()).isEqualTo(after);
	}

	@Test
	void whatIsParkedMakesRoomToo() {
		TestStore strict = this.partition.store().with(new GroupSettings(3, true, false, 1, null, Map.of()));
		stored(strict, "a", "b", "c");
		strict.sweep();
		assertThat(strict.schedule(message("d", FAR)).get(0).dropped()).containsExactly("b");
		PartitionDump dump = this.partition.dump();
		assertThat(dump.messages()).containsOnlyKeys("a", "c", "d");
		assertThat(dump.groups().parked()).containsExactly(GroupDump.member(GROUP, DUE, "c"));
		assertThat(Audit.order(dump, this.partition.now(), Set.of())).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ready", "pending", "keeps its place", "dead and counts" })
	void whatIsActiveOrDeadMakesNoRoom(String state) {
		TestStore counting = this.partition.store().with(YOUNGEST_TWO_OR_DEAD);
		stored(counting, "a", "b");
		counting.sweep();
		if (!state.equals("ready")) {
			for (Entry held : counting.read("holder")) {
				switch (state) {
					case "keeps its place" -> counting.retry(held, Duration.ofDays(1), "it broke", true);
					case "dead and counts" -> counting.deadLetter(held, "it broke");
					default -> assertThat(state).isEqualTo("pending");
				}
			}
		}
		PartitionDump before = this.partition.dump();
		assertThat(stored(counting, "c", "d")).containsOnly(Stored.FULL);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void ofWhatWaitsBehindActiveOnesTheOldestMakesRoom() {
		TestStore three = this.partition.store().with(new GroupSettings(3, true, false, 2, null, Map.of()));
		stored(three, "a", "b");
		three.take("holder");
		stored(three, "c");
		assertThat(three.schedule(message("d", FAR)).get(0).dropped()).containsExactly("c");
		assertThat(three.schedule(message("e", FAR)).get(0).dropped()).containsExactly("d");
	}

	@Test
	void aRetryWithoutItsPlaceIsAnOldMessageLikeOthers() {
		stored(this.dropping, "a", "b");
		List<Entry> held = this.dropping.take("holder");
		this.dropping.retry(held.get(0), Duration.ofDays(1), "it broke", false);
		assertThat(this.dropping.schedule(message("c", DUE)).get(0).dropped()).containsExactly("a");
		assertThat(this.partition.dump().failures()).isEmpty();
	}

	@Test
	void aCallThatBringsMoreThanThereIsRoomForKeepsTheLast() {
		this.dropping.schedule(TestStore.message("old", DUE, GROUP, 9));
		NewMessage[] call = { TestStore.message("a", DUE, GROUP, 1), TestStore.message("b", FAR, GROUP, 2),
				TestStore.message("c", DUE, GROUP, 3), TestStore.message("d", DUE - 1, GROUP, 4) };

		List<Answer> answers = this.dropping.schedule(call);

		assertThat(answers).containsExactly(new Answer(Stored.CREATED, DUE, List.of()),
				new Answer(Stored.CREATED, FAR, List.of("old")), new Answer(Stored.CREATED, DUE, List.of("a")),
				new Answer(Stored.CREATED, DUE - 1, List.of("b")));
		PartitionDump after = this.partition.dump();
		assertThat(after.withoutTimes()).isEqualTo(new ExpectedDump().record("c", record("c", DUE, 3))
			.scheduled("c", DUE)
			.grouped("c", DUE, GROUP)
			.record("d", record("d", DUE - 1, 4))
			.scheduled("d", DUE - 1)
			.grouped("d", DUE - 1, GROUP)
			.done("\0" + TestStore.token(9), 0)
			.done("\0" + TestStore.token(1), 0)
			.done("\0" + TestStore.token(2), 0)
			.build());
		assertThat(this.dropping.schedule(call)).extracting(Answer::stored)
			.containsExactly(Stored.ENDED, Stored.ENDED, Stored.CREATED, Stored.CREATED);
		assertThat(this.partition.dump()).isEqualTo(after);
	}

	@Test
	void aGroupThatIsFullerThanItsNewQuotaComesDownToIt() {
		TestStore unbounded = this.partition.store();
		stored(unbounded, "a", "b", "c", "d", "e");
		PartitionDump before = this.partition.dump();
		assertThat(stored(this.store, "refused")).containsExactly(Stored.FULL);
		assertThat(this.partition.dump()).isEqualTo(before);

		assertThat(this.dropping.schedule(message("f", FAR)).get(0).dropped()).containsExactly("a", "b");
		assertThat(count(GROUP)).isEqualTo(4);
		assertThat(this.dropping.schedule(message("g", FAR)).get(0).dropped()).containsExactly("c", "d");
		assertThat(count(GROUP)).isEqualTo(3);
		assertThat(this.dropping.schedule(message("h", FAR), message("i", FAR))).extracting(Answer::dropped)
			.containsExactly(List.of("e", "f"), List.of("g"));
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(this.partition.dump().messages()).containsOnlyKeys("h", "i");
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "gg", "g0", "g ", "g\u00e9", "ga", "用户g", "G", "g0000000000002000" })
	void aGroupIsNeverTakenForOneWhoseNameItBeginsOrGoesOn(String other) {
		for (String[] pair : new String[][] { { GROUP, other }, { other, GROUP } }) {
			try (TestPartition there = TestPartition.shared()) {
				TestStore drops = there.store().with(YOUNGEST_TWO);
				drops.schedule(TestStore.message("o-1", DUE - 9, pair[1], 1),
						TestStore.message("o-2", DUE - 8, pair[1], 2));
				drops.schedule(TestStore.message("m-1", DUE, pair[0], 3));
				assertThat(drops.groups().count(drops.partition(), pair[0])).isEqualTo(1);
				assertThat(drops.groups().count(drops.partition(), pair[1])).isEqualTo(2);
				assertThat(drops.schedule(TestStore.message("m-2", DUE + 1, pair[0], 4)).get(0).dropped()).isEmpty();
				assertThat(drops.schedule(TestStore.message("m-3", DUE + 2, pair[0], 5)).get(0).dropped())
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

	private static NewMessage message(String id, long dueMillis) {
		return TestStore.message(id, dueMillis, GROUP, id.hashCode() & 0xfff);
	}

	private static NewMessage replacing(NewMessage message) {
		return TestStore.onDuplicate(DuplicatePolicy.replace(), TestStore.message(message.id(), message.due(),
				new Envelope(CallToken.next(), GROUP, Map.of(), Reply.bytes("new"))));
	}

	private static String record(String id, long dueMillis, int token) {
		return "1%016d%s".formatted(dueMillis, Reply.text(TestStore.message(id, dueMillis, GROUP, token).envelope()));
	}

	/** Schedules messages that are due, each in a call of its own. */
	private static List<Stored> stored(TestStore store, String... ids) {
		return Stream.of(ids).map((id) -> store.schedule(message(id, DUE)).get(0).stored()).toList();
	}

	private long count(String group) {
		return this.store.groups().count(this.store.partition(), group);
	}

}
