package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A strict group with many messages that are older than the due ones, and are dead
 * letters or scheduled for later.
 */
@Tag("slow")
class OlderMessagesIntegrationTests extends OrderedGroup {

	/** More than a sweep reads of a group. */
	private static final int MANY = 1500;

	/** More due messages than a sweep reads instead. */
	private static final int BACKLOG = 2500;

	private final TestStore counting = this.partition.store()
		.with(new GroupSettings(0, false, true, 1, null, null, Map.of()));

	@ParameterizedTest
	@ValueSource(ints = { 10, 99, 100, 101, 250 })
	void whenOlderMessagesAreDeadTheOldestDueOneIsFirst(int dead) {
		for (int i = 0; i < dead; i++) {
			dead("dead-%03d".formatted(i), DUE);
		}
		dead("old", DUE + 1);
		schedule("new", DUE + 2);
		// The old message is due now by its score; the score of the new one is earlier
		this.counting.redrive("old");

		assertThat(handleAll(this.counting)).containsExactly("old", "new");
	}

	@Test
	void whenOlderMessagesAreRedrivenForLaterTheOldestDueOneIsFirst() {
		List<Redrive> later = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			dead("later-" + i, DUE + i);
			later.add(new Redrive(new StoredId("later-" + i, GROUP), Duration.ofDays(1)));
		}
		dead("old", DUE + 20);
		schedule("new", DUE + 21);
		this.counting.deadLetters()
			.redrive(this.counting.partition(), TestMessages.token(1), TestStore.WINDOW, 0, later);
		this.counting.redrive("old");

		assertThat(handleAll(this.counting)).containsExactly("old", "new");
	}

	@Test
	void whenVeryManyOlderMessagesWaitForLaterDueOnesAreInOrder() {
		waitForLater(MANY);
		// By score the last one is first; equal due times are ordered by the bytes of the
		// ids
		schedule("é", DUE + 1, "b", DUE + 1, "B", DUE + 1, "10", DUE + 1, "9", DUE + 1, "last", DUE + 2);
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE - 1), "last", Long.toString(DUE), "é");

		assertThat(handleAll(this.counting)).containsExactly("10", "9", "B", "b", "é", "last");
	}

	@Test
	void whenVeryManyOlderMessagesWaitDueMessagesAreInOrderAndDoNotStarve() {
		waitForLater(MANY);
		schedule("old", DUE + 1, "new", DUE + 2, "newer", DUE + 3);
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE + 20), "old", Long.toString(DUE), "new");
		backlog();

		List<String> handled = handle(BACKLOG + 3);

		assertThat(handled).filteredOn((id) -> !id.startsWith("other-")).containsExactly("old", "new", "newer");
	}

	@Test
	void whenOldestDueMessageIsFoundItIsMovedInTheSameSweep() {
		for (int from = 0; from < 600; from += 300) {
			waitForLater(GROUP, from, from + 300);
		}
		schedule("old", DUE + 1, "new", DUE + 2);
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE), "new", Long.toString(DUE + 5), "old");
		backlog();

		assertThat(this.counting.sweep(200, 1000, "").moved()).isEqualTo(200);
		assertThat(this.counting.read("handler")).extracting(Entry::id).contains("old").doesNotContain("new");
	}

	@Test
	void whenManyStrictGroupsHaveOlderMessagesEachIsInOrder() {
		List<String> expected = new ArrayList<>();
		for (int group = 0; group < 30; group++) {
			String name = "group-%02d".formatted(group);
			waitForLater(name, 60);
			this.counting.schedule(TestMessages.message(name + "-b", DUE + 2, name, 1),
					TestMessages.message(name + "-a", DUE + 1, name, 2));
			this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE - 1), name + "-b");
			expected.addAll(List.of(name + "-a", name + "-b"));
		}
		backlog();

		List<String> handled = handle(BACKLOG + expected.size());

		assertThat(handled).filteredOn((id) -> id.startsWith("group-"))
			.containsExactlyInAnyOrderElementsOf(expected)
			.satisfies((ids) -> expected.stream()
				.filter((id) -> id.endsWith("-a"))
				.forEach((a) -> assertThat(ids.indexOf(a)).isLessThan(ids.indexOf(a.replace("-a", "-b")))));
	}

	/** More due messages of such groups than a sweep reads, and no other messages. */
	@Test
	void whenVeryManyOlderMessagesWaitInManyStrictGroupsNoneStarves() {
		int ofAGroup = BACKLOG / 30;
		for (int group = 0; group < 30; group++) {
			String name = "group-%02d".formatted(group);
			waitForLater(name, 0, 1001);
			this.counting.schedule(IntStream.range(0, ofAGroup)
				.mapToObj((i) -> TestMessages.message(name + "-%03d".formatted(i), DUE + 1 + i, name, 1))
				.toArray(NewMessage[]::new));
		}

		List<String> handled = handle(30 * ofAGroup);

		for (int group = 0; group < 30; group++) {
			String name = "group-%02d".formatted(group);
			assertThat(handled).filteredOn((id) -> id.startsWith(name)).hasSize(ofAGroup).isSorted();
		}
	}

	/** Sweeps as the sweeper does, until so many are handled. */
	private List<String> handle(int count) {
		List<String> handled = new ArrayList<>();
		String behind = "";
		for (int i = 0; i < 1000 && handled.size() < count; i++) {
			Swept swept = this.counting.sweep(200, 1000, behind);
			behind = swept.behind();
			List<Entry> taken = this.counting.read("handler");
			taken.forEach((entry) -> handled.add(entry.id()));
			if (!taken.isEmpty()) {
				this.counting.acknowledge(taken.toArray(Entry[]::new));
			}
		}
		assertThat(handled).hasSize(count);
		return handled;
	}

	private void dead(String id, long dueMillis) {
		this.counting.schedule(TestMessages.message(id, dueMillis, GROUP, 1));
		this.counting.deadLetter(this.counting.take("holder").get(0), "it broke");
	}

	private void waitForLater(int count) {
		for (int from = 0; from < count; from += 500) {
			waitForLater(GROUP, from, Math.min(count, from + 500));
		}
	}

	private void waitForLater(String group, int count) {
		waitForLater(group, 0, count);
	}

	/**
	 * As after a redrive or an operator's change: the due time is earlier than the score.
	 */
	private void waitForLater(String group, int from, int to) {
		List<String> ids = IntStream.range(from, to).mapToObj((i) -> group + "-later-%06d".formatted(i)).toList();
		this.counting
			.schedule(ids.stream().map((id) -> TestMessages.message(id, DUE, group, 1)).toArray(NewMessage[]::new));
		this.partition.command("ZADD", Key.SCHEDULED,
				ids.stream().flatMap((id) -> Stream.of(Long.toString(FAR), id)).toArray(String[]::new));
	}

	private void backlog() {
		for (int from = 0; from < BACKLOG; from += 500) {
			this.counting.schedule(IntStream.range(from, from + 500)
				.mapToObj((i) -> TestMessages.message("other-" + i, DUE + 10, i))
				.toArray(NewMessage[]::new));
		}
	}

}
