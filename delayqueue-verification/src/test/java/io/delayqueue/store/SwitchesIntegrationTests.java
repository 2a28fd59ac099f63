package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.PartitionControl.Setting;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SwitchesIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	private final PartitionControl partitionControl = this.store.partitionControl();

	@Test
	void aSwitchHasItsTimeAndKeepsItWhenTurnedOnAgain() {
		long before = this.partition.now();
		Setting paused = turn(Switch.PAUSED, true);
		assertThat(paused.pausedSinceMillis()).isBetween(before, this.partition.now());
		assertThat(paused.drainingSinceMillis()).isZero();

		this.partition.command("HSET", Key.CONTROL, "paused", "1000");
		assertThat(turn(Switch.PAUSED, true)).isEqualTo(new Setting(1000, 0, 0, 0, ""));

		Setting both = turn(Switch.DRAINING, true);
		assertThat(both.pausedSinceMillis()).isEqualTo(1000);
		assertThat(both.drainingSinceMillis()).isBetween(before, this.partition.now());
		assertThat(this.partitionControl.of(this.store.partition())).isEqualTo(both);
		assertThat(this.store.snapshots().of(this.store.partition()))
			.extracting(Snapshots.PartitionSnapshot::pausedSinceMillis,
					Snapshots.PartitionSnapshot::drainingSinceMillis)
			.containsExactly(1000L, both.drainingSinceMillis());

		assertThat(turn(Switch.PAUSED, false)).isEqualTo(new Setting(0, both.drainingSinceMillis(), 0, 0, ""));
		assertThat(turn(Switch.DRAINING, false)).isEqualTo(new Setting(0, 0, 0, 0, ""));
		assertThat(this.partitionControl.of(this.store.partition())).isEqualTo(new Setting(0, 0, 0, 0, ""));
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().control(Map.of()).build());
	}

	@Test
	void anotherLayoutIsRefused() {
		this.partition.command("HSET", Key.CONTROL, "layout", "0");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> turn(Switch.PAUSED, true))
			.withMessageContaining("LAYOUT");
		assertThat(this.partition.dump().control()).doesNotContainKey("paused");
	}

	@Test
	void aReadReportsAPauseAndTakesNothing() {
		States.failedTwice(States.ready("a")).prepare(this.partition);
		turn(Switch.PAUSED, true);
		PartitionDump before = this.partition.dump();

		Read read = this.store.ready().read(this.store.partition(), "holder", 5);

		assertThat(read.isStopped()).isTrue();
		assertThat(read.entries()).isEmpty();
		assertThat(this.partition.dump()).isEqualTo(before);
		turn(Switch.PAUSED, false);
		Entry entry = this.store.take("holder").get(0);
		assertThat(entry.failures()).isEqualTo(FailureRecord.from(Reply.bytes(States.FAILED_TWICE)));
	}

	@Test
	void aSweepReportsAPauseAndTakesNothing() {
		States.ready("a").prepare(this.partition);
		turn(Switch.PAUSED, true);
		PartitionDump before = this.partition.dump();

		Swept swept = this.store.sweepAndTake("holder", 5);

		assertThat(swept.read().isStopped()).isTrue();
		assertThat(swept.read().entries()).isEmpty();
		assertThat(swept.lag()).isOne();
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aSweepReportsWhatItLeavesUndelivered() {
		States.ready("a").prepare(this.partition);
		this.store.schedule("b", States.DUE, 7);
		this.store.schedule("c", States.DUE, 8);

		Swept swept = this.store.sweepAndTake("holder", 2);

		assertThat(swept.read().entries()).hasSize(2);
		assertThat(swept.moved()).isEqualTo(2);
		assertThat(swept.lag()).isOne();
	}

	@Test
	void aReadReportsThatThereIsNoPause() {
		States.ready("a").prepare(this.partition);
		turn(Switch.DRAINING, true);
		assertThat(this.store.ready().read(this.store.partition(), "holder", 5).isStopped()).isFalse();
	}

	@Test
	void whileDrainingOnlyNewMessagesAreRefused() {
		this.store.schedule("done", States.DUE, 6);
		this.store.acknowledge(this.store.take("holder").get(0));
		States.dead().prepare(this.partition);
		this.store.schedule("b", States.DUE, 7);
		this.store.schedule("c", States.DUE, 8);
		this.store.cancel("c", 50);
		long since = turn(Switch.DRAINING, true).drainingSinceMillis();
		PartitionDump before = this.partition.dump();

		Answers answers = this.store.schedule(this.store.partition(),
				TestStore.settings(TestStore.PARTITIONS, Duration.ofDays(1), GroupSettings.NONE),
				List.of(TestMessages.message("new", States.DUE, 20), TestMessages.message("new", States.DUE, 21),
						TestMessages.message("b", States.DUE, 7), TestMessages.message("b", States.DUE, 22),
						TestMessages.message("c", States.DUE, 8), TestMessages.message("c", States.DUE, 23),
						TestMessages.message("a", States.DUE, 24), TestMessages.message("done", States.DUE, 25),
						TestMessages.message("far", Due.at(Instant.ofEpochMilli(States.FAR)), 26, "")));

		assertThat(answers.drainingSinceMillis()).isEqualTo(since);
		assertThat(answers.newHead()).isFalse();
		assertThat(answers.answers()).extracting(Answer::stored)
			.containsExactly(Stored.DRAINING, Stored.DRAINING, Stored.CREATED, Stored.DUPLICATE, Stored.ENDED,
					Stored.DUPLICATE, Stored.DEAD, Stored.DONE, Stored.TOO_FAR);
		assertThat(this.partition.dump()).isEqualTo(before);
		turn(Switch.DRAINING, false);
		assertThat(this.store.schedule("new", States.DUE, 20).stored()).isEqualTo(Stored.CREATED);
	}

	private Setting turn(Switch which, boolean on) {
		return this.partitionControl.turn(this.store.partition(), which, on);
	}

}
