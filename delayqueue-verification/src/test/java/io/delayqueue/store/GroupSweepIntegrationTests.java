package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The number of messages of a group that a sweep moves, and the messages that it parks or
 * unparks.
 */
class GroupSweepIntegrationTests extends OrderedGroup {

	@Test
	void aBacklogOfOneGroupDoesNotDelayOtherGroups() {
		NewMessage[] backlog = IntStream.range(0, 27)
			.mapToObj((i) -> TestMessages.message("backlog-%03d".formatted(i), DUE, GROUP, i))
			.toArray(NewMessage[]::new);
		this.three.schedule(backlog);
		this.three.schedule(TestMessages.message("quiet", DUE + 1, "h", 7));
		Swept swept = this.three.sweep(200, 1000, "");
		assertThat(List.of(swept.moved(), swept.parked())).containsExactly(4, 24);
		assertThat(this.three.read("holder")).extracting(Entry::id)
			.containsExactly("backlog-000", "backlog-001", "backlog-002", "quiet");
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void otherGroupsDoNotWaitUntilALargeBacklogIsParked() {
		this.three.schedule(IntStream.range(0, 600)
			.mapToObj((i) -> TestMessages.message("backlog-%04d".formatted(i), DUE, GROUP, i))
			.toArray(NewMessage[]::new));
		this.three.schedule(IntStream.range(0, 120)
			.mapToObj((i) -> TestMessages.message("quiet-%03d".formatted(i), DUE + 1, "h-" + i, i))
			.toArray(NewMessage[]::new));
		this.three.schedule(TestMessages.message("none", DUE + 1, 8), TestMessages.message("far", FAR, 9));
		Swept first = this.three.sweep(200, 1000, "");
		assertThat(List.of(first.moved(), first.parked())).containsExactly(124, 25);
		assertThat(this.three.read("holder")).extracting(Entry::id)
			.contains("backlog-0000", "backlog-0001", "backlog-0002", "none", "quiet-000", "quiet-119");
		// So that the sweeper continues, even if another message is due before that
		assertThat(first.isGroupBacklog()).isTrue();
		assertThat(first.nextDueMillis()).isEqualTo(FAR);
		Swept second = this.three.sweep(200, 1000, first.behind());
		assertThat(List.of(second.moved(), second.parked())).containsExactly(0, 25);
	}

	@Test
	void theCheckOfTheMostRecentlyDueMessagesIsBounded() {
		this.three.schedule(IntStream.range(0, 600)
			.mapToObj((i) -> (i < 200 || i % 2 == 0) ? TestMessages.message("backlog-" + i, DUE + i, GROUP, i)
					: TestMessages.message("quiet-" + i, DUE + i, "h-" + i, i))
			.toArray(NewMessage[]::new));
		Swept swept = this.three.sweep(200, 1000, "");
		assertThat(swept.parked()).isEqualTo(25);
		// 50 of the backlog have stayed among the most recently due ones
		assertThat(swept.moved()).isEqualTo(3 + 50);
		assertThat(this.three.read("holder")).extracting(Entry::id).contains("quiet-599", "quiet-501");
	}

	@Tag("slow")
	@Test
	void strictOrderIsKeptWithABacklogAndManyDeadLetters() {
		TestStore counting = this.partition.store().with(new GroupSettings(0, false, true, 1, null, null, Map.of()));
		for (int i = 0; i < 10; i++) {
			counting.schedule(TestMessages.message("dead-" + i, DUE, "s", i));
			counting.deadLetter(counting.take("holder").get(0), "it broke");
		}
		counting.schedule(IntStream.range(0, 600)
			.mapToObj((i) -> TestMessages.message("backlog-%04d".formatted(i), DUE, GROUP, i))
			.toArray(NewMessage[]::new));
		counting.schedule(IntStream.range(0, 150)
			.mapToObj((i) -> TestMessages.message("s-%03d".formatted(i), DUE + 1, "s", i))
			.toArray(NewMessage[]::new));
		List<String> handled = handleAll(counting);
		assertThat(handled.stream().filter((id) -> id.startsWith("s-"))).hasSize(150).isSorted();
		assertThat(handled.stream().filter((id) -> id.startsWith("backlog-"))).hasSize(600).isSorted();
	}

	@Test
	void laterMessagesDoNotOvertakeWhenTheLimitIsRaised() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2, "d", DUE + 3);
		Entry a = this.strict.take("holder").get(0);
		schedule("e", DUE + 4);
		Swept swept = sweep(this.three);
		assertThat(List.of(swept.moved(), swept.parked())).containsExactly(0, 1);
		assertThat(this.partition.dump().scheduled()).isEqualTo(Map.of("b\1g", DUE + 1, "c\1g", DUE + 2));
		assertThat(this.three.take("holder")).extracting(Entry::id).containsExactly("b", "c");
		assertThat(this.partition.dump().groups().parked()).containsExactly(GroupDump.member(GROUP, DUE + 3, "d"),
				GroupDump.member(GROUP, DUE + 4, "e"));
		this.three.acknowledge(a);
		assertThat(this.three.take("holder")).extracting(Entry::id).containsExactly("d");
	}

	@Test
	void aLoweredLimitBlocksUntilASlotIsFree() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2, "d", DUE + 3);
		List<Entry> held = this.three.take("holder");
		assertThat(this.partition.dump().locations("d")).containsExactly(Key.PARKED);
		for (int i = 0; i < 2; i++) {
			this.strict.acknowledge(held.get(i));
			assertThat(this.strict.sweep()).isZero();
			sweep(this.strict);
			assertThat(this.partition.dump().locations("d")).containsExactly(Key.PARKED);
		}
		this.strict.acknowledge(held.get(2));
		assertThat(handleAll(this.strict)).containsExactly("d");
	}

	@Test
	void messagesThatWereNotUnparkedAreFoundGroupByGroup() {
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
	void whenMoreGroupsThanABatchHaveFreeSlotsEachUnparksOne() {
		for (int i = 0; i < 20; i++) {
			park("id-%02d".formatted(i), "group-%02d".formatted(i), DUE);
			park("second-%02d".formatted(i), "group-%02d".formatted(i), DUE + 1);
		}
		this.three.sweep(3, 0, "");
		assertThat(this.partition.dump().scheduled().keySet()).hasSize(20).allMatch((id) -> id.startsWith("id-"));
	}

	@Test
	void theSearchContinuesBehindItsPositionAndStartsOver() {
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
	void atMostFiftyAreUnparkedAtATime() {
		TestStore wide = this.partition.store().with(new GroupSettings(0, false, false, 0, 200, null, Map.of()));
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
	void messagesOfAFullGroupAreNotUnparked() {
		schedule("a", DUE);
		sweep(this.strict);
		park("b", GROUP, DUE + 1);
		assertThat(sweep(this.strict).moved()).isZero();
		assertThat(this.partition.dump().locations("b")).containsExactly(Key.PARKED);
	}

	@Test
	void whilePausedNothingIsParkedOrUnparked() {
		schedule("a", DUE, "b", DUE + 1);
		park("c", "h", DUE);
		this.strict.control(PartitionControl.Switch.PAUSED, true);
		PartitionDump before = this.partition.dump();
		Swept swept = sweep(this.strict);
		assertThat(List.of(swept.moved(), swept.parked(), swept.read().isStopped())).containsExactly(0, 0, true);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aFullStreamLeavesMessagesScheduled() {
		schedule("a", DUE, "b", DUE + 1);
		PartitionDump before = this.partition.dump();
		assertThat(this.strict.sweep(10, 0, "").parked()).isZero();
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void groupsUseTheirOwnLimitIfTheyHaveOne() {
		TestStore overridden = this.partition.store()
			.with(new GroupSettings(0, false, false, 1, null, null,
					Map.of("vip", new GroupOverride(1, 3, null, false), "slow", new GroupOverride(1, 2, null, false))));
		for (String group : List.of("vip", "slow", "other", "vi", "vipp")) {
			for (int i = 0; i < 5; i++) {
				overridden.schedule(TestMessages.message(group + i, DUE, group, i));
			}
		}
		overridden.sweep();
		assertThat(overridden.read("holder")).extracting(Entry::id)
			.containsExactlyInAnyOrder("vip0", "vip1", "vip2", "slow0", "slow1", "other0", "vi0", "vipp0");
	}

	@Test
	void withoutALimitNoMessageIsParkedAndAllAreCounted() {
		schedule("a", DUE, "b", DUE + 1, "c", DUE + 2);
		this.partition.store()
			.due()
			.sweep(this.strict.partition(), new DueMessages.SweepLimits(10, 10, DueMessages.GroupLimit.NONE, Map.of()),
					"", "none", 0);
		assertThat(this.partition.dump().groups().active()).hasSize(3);
		assertThat(this.partition.dump().groups().parked()).isEmpty();
	}

}
