package io.delayqueue.fleet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Members.Member;
import io.delayqueue.store.Members.Refreshed;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whose turn it is, and which member owns a partition.
 */
class RosterTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final Partition ORDERS = new Partition("orders", 0);

	@Test
	void everyMemberHasTheTurnEquallyOften() {
		Roster roster = roster(0, members(10));
		Map<String, Integer> turns = new HashMap<>();

		for (int second = 0; second < 60; second++) {
			turns.merge(String.valueOf(roster.turnAt(ORDERS, second * SECOND)), 1, Integer::sum);
		}

		assertThat(turns).hasSize(10).allSatisfy((member, seconds) -> assertThat(seconds).isEqualTo(6));
	}

	@Test
	void inOneTurnTheWorkOnManyPartitionsIsShared() {
		Roster roster = roster(0, members(10));
		Map<String, Integer> partitions = new HashMap<>();

		IntStream.range(0, 1200)
			.mapToObj((number) -> new Partition("orders", number))
			.forEach((partition) -> partitions.merge(String.valueOf(roster.turnAt(partition, 0)), 1, Integer::sum));

		assertThat(partitions).hasSize(10).allSatisfy((member, count) -> assertThat(count).isBetween(80, 160));
	}

	@Test
	void onlyMembersThatConsumeTheQueueTakeTurns() {
		List<Member> members = new ArrayList<>(members(3));
		members.add(member("pushes-only", "pushes"));

		assertThat(roster(0, members).order(ORDERS)).containsExactlyInAnyOrder("m0", "m1", "m2");
		assertThat(roster(0, members).order(new Partition("pushes", 0))).containsExactly("pushes-only");
		assertThat(roster(0, members).turnAt(new Partition("invoices", 0), 0)).isNull();
	}

	@Test
	void aMemberThatKnowsFewerPartitionsTakesNoTurnOfTheOthers() {
		List<Member> members = new ArrayList<>(members(2));
		members.add(new Member("old", 0, new TreeMap<>(Map.of("orders", Epochs.first("orders", 4)))));

		assertThat(roster(0, members).order(new Partition("orders", 3))).contains("old");
		assertThat(roster(0, members).order(new Partition("orders", 4))).containsExactlyInAnyOrder("m0", "m1");
	}

	@Test
	void eachPartitionIsCountedForItsOwner() {
		List<Member> members = new ArrayList<>(members(3));
		members.add(new Member("wide", 0, new TreeMap<>(Map.of("pushes", Epochs.first("pushes", 5)))));
		Roster roster = roster(0, members);

		Map<String, Long> owned = new HashMap<>();
		members.get(0)
			.queues()
			.forEach((queue, epochs) -> epochs.partitions()
				.forEach((partition) -> owned.merge(roster.order(partition).get(0), 1L, Long::sum)));
		owned.put("wide", 5L);
		assertThat(roster.owned()).isEqualTo(owned);
	}

	@Test
	void whenAMemberLeavesOnlyItsPartitionsGetAnotherOwnerAndThatIsTheStandby() {
		List<Member> all = members(5);
		Roster before = roster(0, all);
		Roster after = roster(0, all.subList(0, 4));

		for (int number = 0; number < 100; number++) {
			List<String> order = before.order(new Partition("orders", number));
			String owner = order.get(0).equals("m4") ? order.get(1) : order.get(0);
			assertThat(after.order(new Partition("orders", number)).get(0)).isEqualTo(owner);
		}
	}

	@Test
	void onlyMessagesOfThisTurnNeedAHintAndThoseOfTheNextOneShortlyBeforeIt() {
		assertThat(roster(5_000_000, members(2)).hintedNanos()).isBetween(SECOND / 2, SECOND);
		long shortlyBefore = roster(5_990_000, members(2)).hintedNanos();
		assertThat(shortlyBefore).isBetween(SECOND / 2, 2 * SECOND);
	}

	@Test
	void changesNameTheMembersThatJoinedAndLeft() {
		Roster two = roster(0, members(2));
		Roster three = roster(0, members(3));

		assertThat(three.changeSince(two)).isEqualTo("3 now; joined [m2]");
		assertThat(two.changeSince(three)).isEqualTo("2 now; left [m2]");
		assertThat(two.changeSince(two)).isEmpty();
		assertThat(two.changeSince(Roster.UNKNOWN)).isEqualTo("2 now; joined [m0, m1]");
	}

	private static Roster roster(long nowMicros, List<Member> members) {
		return new Roster("a", new Refreshed(nowMicros, "1", false, 0, members), members, System.nanoTime());
	}

	private static List<Member> members(int count) {
		return IntStream.range(0, count).mapToObj((i) -> member("m" + i, "orders")).toList();
	}

	private static Member member(String name, String... queues) {
		TreeMap<String, Epochs> consumed = new TreeMap<>();
		Stream.of(queues).forEach((queue) -> consumed.put(queue, Epochs.first(queue, 2000)));
		return new Member(name, 0, consumed);
	}

}
