package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.GroupMessage;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Retried;
import io.delayqueue.store.ReadyMessages.Swept;
import io.delayqueue.store.ScheduledMessages.CancelAnswer;
import io.delayqueue.store.ScheduledMessages.Cancelled;
import io.delayqueue.store.ScheduledMessages.MoveAnswer;
import io.delayqueue.store.ScheduledMessages.Moved;
import io.delayqueue.store.ScheduledMessages.NewMessage;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many messages of a group are ready or pending at once, and in which order the
 * others follow.
 */
class GroupOrderIntegrationTests {

	private static final String GROUP = "g";

	private static final GroupSettings THREE = new GroupSettings(0, false, false, 3, null, Map.of());

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore strict = this.partition.store().with(GroupStates.STRICT);

	private final TestStore three = this.partition.store().with(THREE);

	@Test
	void whatIsDueInAFullGroupWaitsAside() {
		schedule("a", DUE, "b", DUE + 2, "c", DUE + 1);
		Swept swept = sweep(this.strict);
		assertThat(swept).isEqualTo(new Swept(1, 1, -1, swept.nowMicros(), false, false, 2, ""));
		String entry = this.partition.dump().entries().get("a");
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
	void theOldestOfThoseThatAreParkedFollows() {
		schedule("a", DUE, "b", DUE + 2, "c", DUE + 1);
		Entry a = this.strict.take("holder").get(0);
		ReadyMessages.Settlements settled = this.strict.ready()
			.acknowledge(this.strict.partition(), TestStore.WINDOW,
					List.of(TestStore.acknowledgement(a, TestStore.WINDOW)));
		assertThat(settled.unparked()).isEqualTo(1);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.withoutTimes()).isEqualTo(messages("b", DUE + 2, "c", DUE + 1).scheduled("c", DUE + 1)
			.parked("b", DUE + 2, GROUP)
			.delivered(a.entry())
			.done("a", 0)
			.done("\0" + token("a"), 0)
			.build());
		assertThat(handleAll(this.strict)).containsExactly("c", "b");
		assertThat(this.partition.dump().ids()).isEmpty();
	}

	@Test
	void whatIsRetriedLaterHoldsUpItsGroupAndIsNotRepaired() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.retry(this.strict.take("holder").get(0), Duration.ofHours(1), "it broke", true);
		PartitionDump before = this.partition.dump();

		assertThat(this.strict.repair()).isEmpty();

		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void whatIsGivenBackForLaterHoldsUpItsGroupAlsoAfterARepair() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.release(FAR, this.strict.take("holder").get(0));
		PartitionDump before = this.partition.dump();

		assertThat(this.strict.repair()).isEmpty();

		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.strict.sweep()).isZero();
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE), "a");
		Entry a = this.strict.take("other").get(0);
		assertThat(a.id()).isEqualTo("a");
		assertThat(a.failures()).as("no blame").isEqualTo(new FailureRecord(0, 0, 0, null));
	}

	/** Gives a message back, due at once, with its place in its group. */
	@FunctionalInterface
	interface GiveBack {

		/**
		 * Gives it back.
		 * @param store the store
		 * @param held what a consumer has
		 */
		void of(TestStore store, Entry held);

	}

	static Stream<Named<GiveBack>> withItsPlace() {
		return Stream.of(
				Named.of("retry",
						(store, held) -> assertThat(store.retry(held, Duration.ZERO, "it broke", true).unparked())
							.isZero()),
				Named.of("defer", (store, held) -> store.retry(held, Duration.ZERO, null, true)),
				Named.of("release", (store, held) -> store.release(DUE, held)),
				Named.of("reclaim", (store, held) -> store.reclaim()));
	}

	@ParameterizedTest
	@MethodSource("withItsPlace")
	void theHeadOfAStrictGroupHoldsUpTheOthersUntilItIsFinished(GiveBack giveBack) {
		schedule("a", DUE, "b", DUE + 1);
		Entry held = this.strict.take("holder").get(0);
		giveBack.of(this.strict, held);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.places("a")).containsExactly(Key.SCHEDULED);
		assertThat(dump.groups()).isEqualTo(
				messages("a", DUE, "b", DUE + 1).active("a", GROUP).parked("b", DUE + 1, GROUP).build().groups());
		// Also before one that has come meanwhile and is older
		schedule("older", DUE - 1);
		assertThat(this.strict.take("holder")).extracting(Entry::id).containsExactly("a");
		assertThat(this.partition.dump().groups().parked()).containsExactly(GroupDump.member(GROUP, DUE - 1, "older"),
				GroupDump.member(GROUP, DUE + 1, "b"));
		assertThat(handleAll(this.strict)).isEmpty();
		this.strict.acknowledge(current("a"));
		assertThat(handleAll(this.strict)).containsExactly("older", "b");
	}

	@Test
	void theHeadOfAStrictGroupWaitsForItsRetryWithItsPlace() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.retry(this.strict.take("holder").get(0), Duration.ofDays(1), "it broke", true);
		Swept swept = sweep(this.strict);
		assertThat(List.of(swept.moved(), swept.parked())).containsExactly(0, 0);
		assertThat(this.partition.dump().places("b")).containsExactly(Key.PARKED);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
		assertThat(this.strict.cancel("a", 50)).isEqualTo(Cancelled.CANCELLED);
		assertThat(handleAll(this.strict)).containsExactly("b");
	}

	/** Takes away what is ready or pending; says how many came back. */
	@FunctionalInterface
	interface Leave {

		/**
		 * Takes it away.
		 * @param store the store
		 * @param held what a consumer has
		 * @return how many messages came back, -1 if it is not told
		 */
		long of(TestStore store, Entry held);

	}

	static Stream<Named<Leave>> leaving() {
		return Stream.of(
				Named.of("acknowledge",
						(store, held) -> store.ready()
							.acknowledge(store.partition(), TestStore.WINDOW,
									List.of(TestStore.acknowledgement(held, TestStore.WINDOW)))
							.unparked()),
				Named.of("retry", (store, held) -> store.retry(held, Duration.ofDays(1), "it broke", false).unparked()),
				Named.of("dead-letter",
						(store, held) -> store.ready()
							.deadLetter(store.partition(), held.entry(), held.id(),
									new ReadyMessages.Death("it broke", true, false))
							.unparked()),
				Named.of("dead-letter that counts",
						(store, held) -> store.ready()
							.deadLetter(store.partition(), held.entry(), held.id(),
									new ReadyMessages.Death("it broke", true, true))
							.unparked()),
				Named.of("cancel",
						(store, held) -> store.scheduled()
							.cancel(store.partition(), TestStore.key(held.id()),
									TestStore.token(50 + held.id().charAt(0)), TestStore.WINDOW)
							.unparked()),
				Named.of("purge", (store, held) -> -store.purge(false, held.id()).inFlight()),
				Named.of("replace",
						(store, held) -> store.scheduled()
							.schedule(store.partition(), store.settings(),
									List.of(TestStore.onDuplicate(DuplicatePolicy.replace(),
											TestStore.message(held.id(), FAR, GROUP, 500 + held.id().charAt(0)))))
							.unparked()));
	}

	@ParameterizedTest
	@MethodSource("leaving")
	void whoeverLeavesMakesRoomForTheNextInOrderOfDueTimes(Leave leave) {
		schedule("a", DUE, "b", DUE, "c", DUE);
		List<Entry> held = this.three.take("holder");
		// Neither by when they were scheduled nor by their ids; the last two by their ids
		schedule("v", DUE + 3, "w", DUE + 2, "z", DUE + 4, "y", DUE + 4, "x", DUE + 1);
		assertThat(sweep(this.three).parked()).isEqualTo(5);
		List<String> next = List.of("x", "w", "v");
		for (int i = 0; i < 3; i++) {
			assertThat(Math.abs(leave.of(this.three, held.get(i)))).as("number %s of %s", i, this.partition.dump())
				.isEqualTo(1);
			assertThat(this.partition.dump().places(next.get(i))).containsExactly(Key.SCHEDULED);
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
	void aCrashedOneMakesRoomOnceItIsSetAside() {
		schedule("a", DUE, "b", DUE + 1);
		this.strict.take("holder");
		this.partition.command("HSET", Key.FAILURES, "a", States.CRASHED_TWICE);
		this.strict.reclaim();
		assertThat(this.partition.dump().dead()).containsOnlyKeys("a");
		assertThat(handleAll(this.strict)).containsExactly("b");
	}

	@Test
	void whatIsMovedWhileItIsReadyMakesRoom() {
		schedule("a", DUE, "b", DUE + 1);
		sweep(this.strict);
		MoveAnswer moved = this.strict.reschedule("a", FAR);
		assertThat(moved.unparked()).isEqualTo(1);
		assertThat(this.partition.dump().withoutTimes().withoutStream().groups())
			.isEqualTo(messages("a", FAR, "b", DUE + 1).build().groups());
		assertThat(handleAll(this.strict)).containsExactly("b");
	}

	@Test
	void aCrowdOfOneGroupKeepsNobodyElseWaiting() {
		NewMessage[] crowd = IntStream.range(0, 49)
			.mapToObj((i) -> TestStore.message("crowd-%03d".formatted(i), DUE, GROUP, i))
			.toArray(NewMessage[]::new);
		this.three.schedule(crowd);
		this.three.schedule(TestStore.message("quiet", DUE + 1, "h", 7));
		Swept swept = this.three.sweep(200, 1000, "");
		assertThat(List.of(swept.moved(), swept.parked())).containsExactly(4, 46);
		assertThat(this.three.read("holder")).extracting(Entry::id)
			.containsExactly("crowd-000", "crowd-001", "crowd-002", "quiet");
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void othersDoNotWaitUntilALargerCrowdIsAside() {
		this.three.schedule(IntStream.range(0, 600)
			.mapToObj((i) -> TestStore.message("crowd-%04d".formatted(i), DUE, GROUP, i))
			.toArray(NewMessage[]::new));
		this.three.schedule(TestStore.message("quiet", DUE + 1, "h", 7), TestStore.message("none", DUE + 1, 8));
		Swept first = this.three.sweep(200, 1000, "");
		assertThat(List.of(first.moved(), first.parked())).containsExactly(5, 97);
		assertThat(this.three.read("holder")).extracting(Entry::id)
			.containsExactly("crowd-0000", "crowd-0001", "crowd-0002", "none", "quiet");
		// So that the sweeper goes on at once
		assertThat(first.isCrowd()).isTrue();
		Swept second = this.three.sweep(200, 1000, first.behind());
		assertThat(List.of(second.moved(), second.parked())).containsExactly(0, 50);
	}

	@Test
	void whoComesLaterDoesNotOvertakeWhenTheLimitIsRaised() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2, "d", DUE + 3);
		Entry a = this.strict.take("holder").get(0);
		schedule("e", DUE + 4);
		Swept swept = sweep(this.three);
		assertThat(List.of(swept.moved(), swept.parked())).containsExactly(0, 1);
		assertThat(this.partition.dump().scheduled()).isEqualTo(Map.of("b", DUE + 1, "c", DUE + 2));
		assertThat(this.three.take("holder")).extracting(Entry::id).containsExactly("b", "c");
		assertThat(this.partition.dump().groups().parked()).containsExactly(GroupDump.member(GROUP, DUE + 3, "d"),
				GroupDump.member(GROUP, DUE + 4, "e"));
		this.three.acknowledge(a);
		assertThat(this.three.take("holder")).extracting(Entry::id).containsExactly("d");
	}

	@Test
	void aLimitThatIsLoweredLetsNobodyInUntilThereIsRoom() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2, "d", DUE + 3);
		List<Entry> held = this.three.take("holder");
		assertThat(this.partition.dump().places("d")).containsExactly(Key.PARKED);
		for (int i = 0; i < 2; i++) {
			this.strict.acknowledge(held.get(i));
			assertThat(this.strict.sweep()).isZero();
			sweep(this.strict);
			assertThat(this.partition.dump().places("d")).containsExactly(Key.PARKED);
		}
		this.strict.acknowledge(held.get(2));
		assertThat(handleAll(this.strict)).containsExactly("d");
	}

	@Test
	void placesThatNobodyHasBroughtBackAreFoundGroupByGroup() {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < 42; i++) {
			String id = "id-%02d".formatted(i);
			park(id, "group-%02d".formatted(i), DUE + i);
			ids.add(id);
		}
		String behind = "";
		List<Integer> back = new ArrayList<>();
		for (int i = 0; i < 3; i++) {
			Swept swept = this.strict.sweep(100, 0, behind);
			behind = swept.behind();
			back.add(this.partition.dump().scheduled().size());
		}
		assertThat(back).containsExactly(20, 40, 42);
		assertThat(behind).isEmpty();
		assertThat(this.strict.sweep()).isEqualTo(42);
		assertThat(this.strict.read("holder")).extracting(Entry::id).containsExactlyElementsOf(ids);
	}

	@Test
	void theSearchForThemGoesOnBehindWhereItWasAndBeginsAnew() {
		for (int i = 0; i < 22; i++) {
			park("id-" + i, "group-%02d".formatted(i), DUE);
		}
		assertThat(this.strict.sweep(100, 0, "").behind()).isEqualTo("group-19");
		assertThat(this.strict.sweep(100, 0, "group-19").behind()).isEmpty();
		assertThat(this.partition.dump().groups().parked()).isEmpty();
		park("id-8", "group", DUE);
		assertThat(this.strict.sweep(100, 0, "group-19").behind()).isEmpty();
		assertThat(this.partition.dump().groups().parked()).hasSize(1);
		assertThat(this.strict.sweep(100, 0, "").behind()).isEqualTo("");
		assertThat(this.partition.dump().groups().parked()).isEmpty();
	}

	@Test
	void manyComeBackFiftyAtATime() {
		TestStore wide = this.partition.store().with(new GroupSettings(0, false, false, 0, 200, Map.of()));
		for (int i = 0; i < 120; i++) {
			park("id-%03d".formatted(i), GROUP, DUE + i);
		}
		assertThat(wide.sweep()).isZero();
		assertThat(wide.sweep()).isEqualTo(50);
		assertThat(wide.sweep()).isEqualTo(50);
		assertThat(wide.sweep()).isEqualTo(20);
		assertThat(wide.read("holder")).extracting(Entry::id).isSorted().hasSize(120);
	}

	@Test
	void aFullGroupIsNotBroughtBack() {
		schedule("a", DUE);
		sweep(this.strict);
		park("b", GROUP, DUE + 1);
		assertThat(sweep(this.strict).moved()).isZero();
		assertThat(this.partition.dump().places("b")).containsExactly(Key.PARKED);
	}

	@Test
	void whileItIsPausedNothingIsParkedOrBroughtBack() {
		schedule("a", DUE, "b", DUE + 1);
		park("c", "h", DUE);
		this.strict.steer(Switches.Switch.PAUSED, true);
		PartitionDump before = this.partition.dump();
		Swept swept = sweep(this.strict);
		assertThat(List.of(swept.moved(), swept.parked(), swept.paused())).containsExactly(0, 0, true);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aFullStreamLeavesThemScheduled() {
		schedule("a", DUE, "b", DUE + 1);
		PartitionDump before = this.partition.dump();
		assertThat(this.strict.sweep(10, 0, "").parked()).isZero();
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void groupsWithALimitOfTheirOwnHaveThatOne() {
		TestStore overridden = this.partition.store()
			.with(new GroupSettings(0, false, false, 1, null,
					Map.of("vip", new GroupOverride(1, 3, false), "slow", new GroupOverride(1, 2, false))));
		for (String group : List.of("vip", "slow", "other", "vi", "vipp")) {
			for (int i = 0; i < 5; i++) {
				overridden.schedule(TestStore.message(group + i, DUE, group, i));
			}
		}
		overridden.sweep();
		assertThat(overridden.read("holder")).extracting(Entry::id)
			.containsExactlyInAnyOrder("vip0", "vip1", "vip2", "slow0", "slow1", "other0", "vi0", "vipp0");
	}

	@Test
	void withoutALimitNobodyIsParkedAndAllAreCounted() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2);
		this.partition.store()
			.ready()
			.sweep(this.strict.partition(), new ReadyMessages.SweepLimits(10, 10, 0, Map.of()), "");
		assertThat(this.partition.dump().groups().active()).hasSize(3);
		assertThat(this.partition.dump().groups().parked()).isEmpty();
	}

	@Test
	void whatIsParkedIsCancelledWithoutATrace() {
		parkedBehindA();
		CancelAnswer answer = this.strict.scheduled()
			.cancel(this.strict.partition(), TestStore.key("b"), TestStore.token(50), TestStore.WINDOW);
		assertThat(answer).isEqualTo(new CancelAnswer(Cancelled.CANCELLED, 0));
		assertThat(this.partition.dump().withoutTimes()).isEqualTo(withA("c", DUE + 2).parked("c", DUE + 2, GROUP)
			.done("\0" + token("b"), 0)
			.done("cancelled\0" + TestStore.token(50), 0)
			.build());
	}

	@Test
	void whatIsParkedIsCancelledOnlyAsOfItsGroup() {
		parkedBehindA();
		PartitionDump before = this.partition.dump();
		assertThat(this.strict.scheduled()
			.cancel(this.strict.partition(), TestStore.key("b").inGroup("h"), TestStore.token(50), TestStore.WINDOW)
			.cancelled()).isEqualTo(Cancelled.NONE);
		assertThat(this.strict.scheduled()
			.reschedule(this.strict.partition(), TestStore.key("b").inGroup("h"), Due.in(Duration.ZERO),
					TestStore.MAX_DELAY, TestStore.token(51), TestStore.WINDOW)
			.moved()).isEqualTo(Moved.NONE);
		assertThat(this.strict.scheduled().find(this.strict.partition(), TestStore.key("b").inGroup("h"))).isEmpty();
		assertThat(this.partition.dump()).isEqualTo(before);
		assertThat(this.strict.scheduled().find(this.strict.partition(), TestStore.key("b").inGroup(GROUP)))
			.isPresent();
		assertThat(this.strict.scheduled()
			.cancel(this.strict.partition(), TestStore.key("b").inGroup(GROUP), TestStore.token(50), TestStore.WINDOW)
			.cancelled()).isEqualTo(Cancelled.CANCELLED);
	}

	@Test
	void whatIsParkedIsRescheduled() {
		parkedBehindA();
		MoveAnswer moved = this.strict.reschedule("b", FAR);
		assertThat(moved).isEqualTo(new MoveAnswer(Moved.RESCHEDULED, FAR, moved.nowMicros(), true, 0));
		PartitionDump after = this.partition.dump();
		assertThat(after.withoutTimes().withoutStream().groups())
			.isEqualTo(withA("b", FAR, "c", DUE + 2).parked("c", DUE + 2, GROUP).build().groups());
		assertThat(after.scheduled()).isEqualTo(Map.of("b", FAR));
		assertThat(MessageRecord.from(Reply.bytes(after.messages().get("b"))).dueMillis()).isEqualTo(FAR);
		// Earlier than c, and than before
		this.strict.reschedule("b", DUE - 5);
		assertThat(sweep(this.strict).parked()).isEqualTo(1);
		this.strict.acknowledge(current("a"));
		assertThat(handleAll(this.strict)).containsExactly("b", "c");
	}

	@Test
	void aGroupIsPurgedAndNobodyElse() {
		parkedBehindA();
		this.strict.schedule(TestStore.message("h", DUE, "h", 7), TestStore.message("none", DUE, 8));
		schedule("far", FAR);
		String entry = current("a").entry();
		Purged purged = new Purges(this.strict.calls()).purge(this.strict.partition(), TestStore.WINDOW, false, GROUP,
				List.of("a", "b", "c", "h", "none", "far", "unknown"));
		assertThat(purged).isEqualTo(new Purged(7, 3, 1, 0));
		PartitionDump expected = new ExpectedDump()
			.record("h", "1%016d%s".formatted(DUE, Reply.text(TestStore.message("h", DUE, "h", 7).envelope())))
			.scheduled("h", DUE)
			.grouped("h", DUE, "h")
			.message("none", DUE, 8)
			.scheduled("none", DUE)
			.supersededPending("a", entry, "holder")
			.done("\0" + token("a"), 0)
			.done("\0" + token("b"), 0)
			.done("\0" + token("c"), 0)
			.done("\0" + token("far"), 0)
			.build();
		assertThat(this.partition.dump().withoutTimes()).isEqualTo(expected);
	}

	@Test
	void whatIsParkedIsFoundAndListedAndCounted() {
		parkedBehindA();
		park("x", "a-group", DUE + 9);
		Optional<MessageSnapshot> found = this.strict.scheduled().find(this.strict.partition(), TestStore.key("b"));
		assertThat(found).map(MessageSnapshot::state).contains(MessageState.PARKED);
		assertThat(found).map(MessageSnapshot::group).contains(GROUP);
		assertThat(this.strict.snapshots().of(this.strict.partition()).parked()).isEqualTo(3);
		assertThat(this.strict.audit().parked()).isEqualTo(3);
		assertThat(this.strict.audit().mismatch().isNone()).isTrue();

		List<Listed> listed = new ArrayList<>();
		Bookmark from = Bookmark.BEGIN;
		while (from != null) {
			Pages.Page page = this.strict.pages().list(this.strict.partition(), MessageState.PARKED, from, 1);
			assertThat(page.messages()).hasSize(1);
			listed.addAll(page.messages());
			from = page.next();
		}
		assertThat(listed).extracting(Listed::id).containsExactly("x", "b", "c");
		assertThat(listed).extracting(Listed::atMillis).containsExactly(DUE + 9, DUE + 1, DUE + 2);
	}

	@Test
	void aGroupIsListedByDueTimesWithWhereEachIs() {
		TestStore counting = this.partition.store().with(new GroupSettings(0, false, true, 2, null, Map.of()));
		schedule("dead", DUE, "pending", DUE + 1);
		for (Entry held : counting.take("holder")) {
			if (held.id().equals("dead")) {
				counting.deadLetter(held, "it broke");
			}
		}
		schedule("ready", DUE + 2, "parked", DUE + 3, "far", FAR);
		counting.schedule(TestStore.message("other", DUE, "gg", 9));
		counting.sweep();
		List<GroupMessage> all = counting.groups().list(counting.partition(), GROUP, null, 100).messages();
		assertThat(all).extracting((message) -> message.id() + " " + message.state())
			.containsExactly("dead DEAD", "pending PENDING", "ready READY", "parked PARKED", "far SCHEDULED");
		assertThat(all).extracting((message) -> message.dueAt().toEpochMilli())
			.containsExactly(DUE, DUE + 1, DUE + 2, DUE + 3, FAR);
		assertThat(counting.groups().count(counting.partition(), GROUP)).isEqualTo(5);

		Groups.Page first = counting.groups().list(counting.partition(), GROUP, null, 2);
		assertThat(first.messages()).isEqualTo(all.subList(0, 2));
		counting.cancel("pending", 50);
		Groups.Page second = counting.groups().list(counting.partition(), GROUP, first.next(), 2);
		assertThat(second.messages()).extracting(GroupMessage::id).containsExactly("ready", "parked");
		Groups.Page third = counting.groups().list(counting.partition(), GROUP, second.next(), 1);
		assertThat(third.messages()).isEqualTo(all.subList(4, 5));
		assertThat(third.next()).isNull();
		assertThat(counting.groups().list(counting.partition(), "unknown", null, 2).messages()).isEmpty();
	}

	/** Message a is with a consumer, b and c are parked. */
	private void parkedBehindA() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2);
		this.strict.take("holder");
	}

	/** What there is of a, and of others. */
	private ExpectedDump withA(Object... idsAndDues) {
		return messages(idsAndDues).record("a", record("a", DUE))
			.grouped("a", DUE, GROUP)
			.pending("a", current("a").entry(), "holder")
			.active("a", GROUP);
	}

	private Entry current(String id) {
		String record = this.partition.dump().messages().get(id);
		return new Entry(this.partition.dump().entries().get(id), id, Reply.bytes(record),
				new FailureRecord(0, 0, 0, null), false, -1);
	}

	/** Sweeps, reads and acknowledges until there is nothing to do. */
	private static List<String> handleAll(TestStore store) {
		List<String> handled = new ArrayList<>();
		for (List<Entry> taken = store.take("handler"); !taken.isEmpty(); taken = store.take("handler")) {
			taken.forEach((entry) -> handled.add(entry.id()));
			store.acknowledge(taken.toArray(Entry[]::new));
		}
		return handled;
	}

	private static Swept sweep(TestStore store) {
		return store.sweep(100, 100, "");
	}

	/** Parks a message by hand. */
	private void park(String id, String group, long dueMillis) {
		this.strict.schedule(TestStore.message(id, dueMillis, group, 1));
		this.partition.command("ZADD", Key.PARKED, "0", GroupDump.member(group, dueMillis, id));
		this.partition.command("ZREM", Key.SCHEDULED, id);
	}

	private void schedule(Object... idsAndDues) {
		for (int i = 0; i < idsAndDues.length; i += 2) {
			this.strict.schedule(message((String) idsAndDues[i], ((Number) idsAndDues[i + 1]).longValue()));
		}
	}

	/** Messages of the group, each with its place in the quota. */
	private static ExpectedDump messages(Object... idsAndDues) {
		ExpectedDump dump = new ExpectedDump();
		for (int i = 0; i < idsAndDues.length; i += 2) {
			String id = (String) idsAndDues[i];
			long due = ((Number) idsAndDues[i + 1]).longValue();
			dump.record(id, record(id, due)).grouped(id, due, GROUP);
		}
		return dump;
	}

	private static NewMessage message(String id, long dueMillis) {
		return TestStore.message(id, dueMillis, GROUP, id.hashCode() & 0xfff);
	}

	private static String token(String id) {
		return TestStore.token(id.hashCode() & 0xfff);
	}

	private static String record(String id, long dueMillis) {
		return "1%016d%s".formatted(dueMillis, Reply.text(message(id, dueMillis).envelope()));
	}

}
