package io.delayqueue.store;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether dead letters keep a slot in the quota of their group, and which redriven ones
 * get a slot.
 */
class DeadLetterQuotaIntegrationTests extends GroupOfTwo {

	@Test
	void deadLettersKeepTheirSlotsOnlyIfTheyCount() {
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
	void countedDeadLettersFreeTheirSlotsHoweverTheyAreRemoved() {
		TestStore counting = this.partition.store().with(new GroupSettings(9, false, true, 9, null, null, Map.of()));
		stored(counting, "a", "b", "c", "d");
		counting.take("holder").forEach((entry) -> counting.deadLetter(entry, "it broke"));
		assertThat(count(GROUP)).isEqualTo(4);
		counting.cancel("a", 50);
		counting.cancel("a", 51);
		assertThat(count(GROUP)).isEqualTo(3);
		counting.purge(true, "b");
		assertThat(count(GROUP)).isEqualTo(2);
		// Has its slot already
		assertThat(this.partition.store().with(TWO).redrive("c").redriven()).isEqualTo(1);
		assertThat(count(GROUP)).isEqualTo(2);
		counting.schedule(replacing(message("d", FAR)));
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void aCrashThatDeadLettersCountsAccordingToTheSettings() {
		TestStore counting = this.partition.store().with(TWO_OR_DEAD);
		stored(counting, "a");
		this.partition.command("HSET", Key.FAILURES, "a", States.CRASHED_TWICE);
		counting.take("holder");
		assertThat(counting.reclaim().messages()).extracting(Leases.Reclaimed::dead).containsExactly(true);
		assertThat(count(GROUP)).isEqualTo(1);
	}

	@Test
	void aRedriveBeyondTheQuotaIsRefusedAndChangesNothing() {
		stored(this.store, "a", "b");
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
		this.store.schedule(message("c", FAR), TestMessages.message("other", DUE, "h", 1));
		this.store.deadLetter(this.store.take("holder").get(0), "it broke");
		PartitionDump before = this.partition.dump();

		Redriven redriven = this.store.redrive("a", "b", "other");

		assertThat(redriven.redriven()).isEqualTo(2);
		assertThat(redriven.refused()).containsExactly(new StoredId("b", GROUP));
		PartitionDump after = this.partition.dump();
		assertThat(after.dead()).isEqualTo(Map.of("b\1g", before.dead().get("b\1g")));
		assertThat(after.failures()).isEqualTo(Map.of("b\1g", before.failures().get("b\1g")));
		assertThat(after.scheduled()).containsOnlyKeys("a\1g", "c\1g", "other\1h");
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(this.store.redrive("b").refused()).containsExactly(new StoredId("b", GROUP));
		assertThat(this.partition.dump()).isEqualTo(after);

		this.store.cancel("c", 50);
		assertThat(this.store.redrive("b", "a")).extracting(Redriven::redriven, Redriven::refused)
			.containsExactly(1, List.of());
		assertThat(count(GROUP)).isEqualTo(2);
		assertThat(this.partition.store().redrive("b").redriven()).isZero();
		assertThat(Audit.order(this.partition.dump(), this.partition.now(), Set.of())).isEmpty();
	}

	@Test
	void aMessageRedrivenByAStoppedScriptNeedsNoSecondSlot() {
		stored(this.store, "a");
		this.store.deadLetter(this.store.take("holder").get(0), "it broke");
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE), "a");
		stored(this.store, "b", "c");

		assertThat(this.store.redrive("a")).extracting(Redriven::redriven, Redriven::refused)
			.containsExactly(1, List.of());
		assertThat(this.partition.dump().locations("a")).containsExactly(Key.SCHEDULED);
		assertThat(count(GROUP)).isEqualTo(3);
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
	void aDeadLetterWithoutASlotIsReplacedOnlyIfOneIsFree() {
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

}
