package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.test.fault.CountingScripts.Cost;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * For any number of groups and messages, a sweep runs no more commands than its batch
 * size needs, and the next sweeps process the rest.
 */
@Tag("slow")
class SweepCostIntegrationTests extends OrderedGroup {

	private static final int BATCH = 200;

	private static final int GROUPS = 100;

	private static final int OF_A_GROUP = 50;

	private static final int MOST_READ = 3000;

	@RegisterExtension
	final CountedStore counted = new CountedStore(this.partition);

	@Test
	void whenLimitIsRaisedNoSweepUnparksMoreThanABatch() {
		TestStore wide = with(OF_A_GROUP + 10);
		for (int i = 0; i < GROUPS; i++) {
			String group = "group-%03d".formatted(i);
			List<String> ids = ids(group, OF_A_GROUP);
			schedule(group, ids, DUE);
			this.partition.command("ZADD", Key.PARKED,
					ids.stream()
						.flatMap((id) -> Stream.of("0", GroupDump.member(group, DUE, id)))
						.toArray(String[]::new));
			this.partition.command("ZREM", Key.SCHEDULED, ids.toArray(String[]::new));
			schedule(group, List.of(group + "-new"), DUE + 1);
		}
		this.counted.cost();
		List<String> handled = new ArrayList<>();
		String behind = "";
		int sweeps = 0;
		for (; sweeps < 200 && handled.size() < GROUPS * (OF_A_GROUP + 1); sweeps++) {
			long parked = parked();

			Swept swept = wide.sweep(BATCH, 10_000, behind);

			assertThat(this.counted.cost().commands()).as("sweep %d: %s", sweeps, swept).isLessThan(12L * BATCH);
			assertThat(parked + swept.parked() - parked()).isLessThanOrEqualTo(BATCH);
			behind = swept.behind();
			List<Entry> taken = wide.read("handler");
			taken.forEach((entry) -> handled.add(entry.id()));
		}
		assertThat(handled).hasSize(GROUPS * (OF_A_GROUP + 1)).doesNotHaveDuplicates();
		for (int i = 0; i < GROUPS; i++) {
			String group = "group-%03d".formatted(i);
			assertThat(handled).filteredOn((id) -> id.startsWith(group)).isSorted().endsWith(group + "-new");
		}
	}

	@Test
	void whenAStrictGroupHasVeryManyOlderMessagesFewOfThemAreRead() {
		for (int from = 0; from < 20_000; from += 500) {
			waitForLater(GROUP, from, from + 500);
		}
		schedule(GROUP, List.of("b"), DUE + 2);
		schedule(GROUP, List.of("a"), DUE + 3);
		this.counted.cost();
		for (String id : List.of("b", "a")) {
			List<Entry> taken = with(1).take("handler");
			Cost cost = this.counted.cost();
			assertThat(taken).extracting(Entry::id).containsExactly(id);
			assertThat(cost.values()).isLessThan(MOST_READ);
			assertThat(cost.commands()).isLessThan(100);
			with(1).acknowledge(taken.toArray(Entry[]::new));
		}
	}

	@Test
	void whenManyStrictGroupsHaveOlderMessagesFewOfThemAreRead() {
		List<String> due = new ArrayList<>();
		for (int i = 0; i < GROUPS; i++) {
			String group = "group-%03d".formatted(i);
			waitForLater(group, 0, OF_A_GROUP);
			due.add(group + "-due");
			schedule(group, List.of(group + "-due"), DUE + 1);
		}
		this.counted.cost();

		assertThat(with(1).sweep(BATCH, 1000, "").moved()).isEqualTo(GROUPS);

		assertThat(this.counted.cost().values()).isLessThan(MOST_READ);
		assertThat(with(1).read("handler")).extracting(Entry::id).containsExactlyElementsOf(due);
	}

	private long parked() {
		return (Long) this.partition.redis().call("ZCARD", this.partition.key(Key.PARKED));
	}

	private TestStore with(int limit) {
		return this.counted.store().with(new GroupSettings(0, false, true, limit, 2 * OF_A_GROUP, null, Map.of()));
	}

	private static List<String> ids(String group, int count) {
		return IntStream.range(0, count).mapToObj((i) -> group + "-%03d".formatted(i)).toList();
	}

	private void schedule(String group, List<String> ids, long dueMillis) {
		this.strict.schedule(
				ids.stream().map((id) -> TestMessages.message(id, dueMillis, group, 1)).toArray(NewMessage[]::new));
	}

	/** The due time is earlier than the score, as after a redrive for later. */
	private void waitForLater(String group, int from, int to) {
		List<String> ids = IntStream.range(from, to).mapToObj((i) -> group + "-later-%06d".formatted(i)).toList();
		schedule(group, ids, DUE);
		this.partition.command("ZADD", Key.SCHEDULED,
				ids.stream().flatMap((id) -> Stream.of(Long.toString(FAR), id)).toArray(String[]::new));
	}

}
