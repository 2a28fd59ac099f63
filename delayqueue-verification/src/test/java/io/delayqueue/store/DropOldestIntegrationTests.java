package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which messages of a full group are dropped for a new one.
 */
class DropOldestIntegrationTests extends GroupOfTwo {

	private static final GroupSettings YOUNGEST_TWO_OR_DEAD = new GroupSettings(2, true, true, 2, null, null, Map.of());

	@Test
	void theOldestMessageIsDroppedAndLeavesOnlyItsTombstone() {
		this.dropping.schedule(TestMessages.expiring(TestMessages.message("young", DUE + 5, GROUP, 1), Expiry.NEVER),
				TestMessages.expiring(TestMessages.message("z-old", DUE + 1, GROUP, 2),
						Expiry.after(Duration.ofDays(1))),
				TestMessages.message("bystander", DUE - 1, "h", 3), TestMessages.message("none", DUE - 1, 4));
		// The message has a late score and an early due time
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(FAR), "z-old");
		this.partition.command("HSET", Key.FAILURES, "z-old", States.FAILED_TWICE);
		long from = this.partition.now() + TestStore.WINDOW.toMillis();

		List<Answer> answers = this.dropping.schedule(TestMessages.message("new", DUE, GROUP, 5));

		assertThat(answers).containsExactly(new Answer(Stored.CREATED, DUE, List.of("z-old")));
		PartitionDump after = this.partition.dump();
		assertThat(after.withoutTimes()).isEqualTo(new ExpectedDump().record("young", record("young", DUE + 5, 1))
			.scheduled("young", DUE + 5)
			.grouped("young", DUE + 5, GROUP)
			.record("new", record("new", DUE, 5))
			.scheduled("new", DUE)
			.grouped("new", DUE, GROUP)
			.record("bystander",
					"1%016d%s".formatted(DUE - 1,
							Reply.text(TestMessages.message("bystander", DUE, "h", 3).envelope())))
			.scheduled("bystander", DUE - 1)
			.grouped("bystander", DUE - 1, "h")
			.message("none", DUE - 1, 4)
			.scheduled("none", DUE - 1)
			.done("\0" + TestMessages.token(2), 0)
			.build());
		assertThat(after.done().get("\0" + TestMessages.token(2))).isBetween(from,
				this.partition.now() + TestStore.WINDOW.toMillis());
		assertThat(this.dropping.schedule(TestMessages.message("z-old", DUE + 1, GROUP, 2))).extracting(Answer::stored)
			.containsExactly(Stored.ENDED);
		assertThat(this.partition.dump()).isEqualTo(after);
	}

	@Test
	void aParkedMessageIsDroppedToo() {
		TestStore strict = this.partition.store().with(new GroupSettings(3, true, false, 1, null, null, Map.of()));
		stored(strict, "a", "b", "c");
		strict.sweep();
		assertThat(strict.schedule(message("d", FAR)).get(0).dropped()).containsExactly("b");
		PartitionDump dump = this.partition.dump();
		assertThat(dump.messages()).containsOnlyKeys("a\1g", "c\1g", "d\1g");
		assertThat(dump.groups().parked()).containsExactly(GroupDump.member(GROUP, DUE, "c"));
		assertThat(Audit.order(dump, this.partition.now(), Set.of())).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ready", "pending", "keeps its slot", "dead and counts" })
	void activeAndDeadMessagesAreNotDropped(String state) {
		TestStore counting = this.partition.store().with(YOUNGEST_TWO_OR_DEAD);
		stored(counting, "a", "b");
		counting.sweep();
		if (!state.equals("ready")) {
			for (Entry held : counting.read("holder")) {
				switch (state) {
					case "keeps its slot" -> counting.retry(held, Duration.ofDays(1), "it broke", true);
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
	void theOldestMessageBehindActiveOnesIsDropped() {
		TestStore three = this.partition.store().with(new GroupSettings(3, true, false, 2, null, null, Map.of()));
		stored(three, "a", "b");
		three.take("holder");
		stored(three, "c");
		assertThat(three.schedule(message("d", FAR)).get(0).dropped()).containsExactly("c");
		assertThat(three.schedule(message("e", FAR)).get(0).dropped()).containsExactly("d");
	}

	@Test
	void aRetryWithoutItsSlotIsDroppedLikeAnyOldMessage() {
		stored(this.dropping, "a", "b");
		List<Entry> held = this.dropping.take("holder");
		this.dropping.retry(held.get(0), Duration.ofDays(1), "it broke", false);
		assertThat(this.dropping.schedule(message("c", DUE)).get(0).dropped()).containsExactly("a");
		assertThat(this.partition.dump().failures()).isEmpty();
	}

	@Test
	void aCallWithMoreMessagesThanTheQuotaKeepsTheLastOnes() {
		this.dropping.schedule(TestMessages.message("old", DUE, GROUP, 9));
		NewMessage[] call = { TestMessages.message("a", DUE, GROUP, 1), TestMessages.message("b", FAR, GROUP, 2),
				TestMessages.message("c", DUE, GROUP, 3), TestMessages.message("d", DUE - 1, GROUP, 4) };

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
			.done("\0" + TestMessages.token(9), 0)
			.done("\0" + TestMessages.token(1), 0)
			.done("\0" + TestMessages.token(2), 0)
			.build());
		assertThat(this.dropping.schedule(call)).extracting(Answer::stored)
			.containsExactly(Stored.ENDED, Stored.ENDED, Stored.CREATED, Stored.CREATED);
		assertThat(this.partition.dump()).isEqualTo(after);
	}

	@Test
	void aGroupAboveItsNewQuotaShrinksToIt() {
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
		assertThat(this.partition.dump().messages()).containsOnlyKeys("h\1g", "i\1g");
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	private static String record(String id, long dueMillis, int token) {
		return "1%016d%s".formatted(dueMillis,
				Reply.text(TestMessages.message(id, dueMillis, GROUP, token).envelope()));
	}

}
