package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static io.delayqueue.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ScheduleIntegrationTests {

	private static final Duration MAX_DELAY = Duration.ofHours(1);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void aNewMessageIsStored() {
		assertThat(this.store.schedule("a", FAR, 1)).isEqualTo(answer(Stored.CREATED, FAR));
		assertThat(this.partition.dump())
			.isEqualTo(new ExpectedDump().message("a", FAR, 1).scheduled("a", FAR).build());
	}

	@Test
	void aDelayCountsFromTheTimeOfRedis() {
		Answers answers = schedule(MAX_DELAY, message("a", Due.in(Duration.ofSeconds(30)), 1, ""));
		long due = answers.nowMicros() / 1000 + 30_000;
		assertThat(answers.answers()).containsExactly(answer(Stored.CREATED, due));
		assertThat(this.partition.dump().scheduled()).containsEntry("a", due);
		assertThat(this.partition.dump().messages()).containsEntry("a", "1%016dtoken000001\n".formatted(due));
	}

	@Test
	void theFirstOneDueIsTheNewHead() {
		assertThat(isNewHead(message("b", FAR - 10, 1))).isTrue();
		assertThat(isNewHead(message("c", FAR, 1), message("d", FAR - 9, 1))).isFalse();
		assertThat(isNewHead(message("e", FAR - 10, 1))).isFalse();
		assertThat(isNewHead(message("f", FAR, 1), message("a", FAR - 11, 1))).isTrue();
		assertThat(isNewHead(message("a", FAR - 12, 2))).isFalse();
	}

	@Test
	void aKnownIdIsADuplicateInAnyState() {
		States.pending("pending").prepare(this.partition);
		States.ready("ready").prepare(this.partition);
		this.store.schedule("waiting", DUE, 1);
		PartitionDump before = this.partition.dump();
		for (String id : List.of("pending", "ready", "waiting")) {
			assertThat(this.store.schedule(id, DUE + 5, 2)).isEqualTo(answer(Stored.DUPLICATE, 0));
		}
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aDeadLetterIsNotScheduledAgain() {
		States.dead().prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule("a", DUE, 2)).isEqualTo(answer(Stored.DEAD, 0));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aFinishedIdIsDoneUntilItsWindowEnds() {
		States.finished().prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule("a", DUE, 2)).isEqualTo(answer(Stored.DONE, 0));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aFinishedIdIsNewWhenItsWindowHasEnded() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		this.store.pending()
			.acknowledge(this.store.partition(), Duration.ZERO,
					List.of(TestStore.acknowledgement(held, Duration.ZERO)));
		assertThat(this.store.schedule("a", FAR, 2)).isEqualTo(answer(Stored.CREATED, FAR));
	}

	@Test
	void beyondMaxDelayIsRefusedAndAtMaxDelayIsNot() {
		assertThat(schedule(MAX_DELAY, message("a", Due.in(MAX_DELAY.plusMillis(1)), 1, "")).answers())
			.containsExactly(answer(Stored.TOO_FAR, 0));
		assertThat(schedule(MAX_DELAY, message("a", FAR, 1)).answers()).containsExactly(answer(Stored.TOO_FAR, 0));
		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(this.partition.dump().control()).isEmpty();
		assertThat(schedule(MAX_DELAY, message("a", Due.in(MAX_DELAY), 1, "")).answers().get(0).stored())
			.isEqualTo(Stored.CREATED);
	}

	@Test
	void aRepeatedCallReportsCreatedAndKeepsTheFirstDueTime() {
		Answer first = this.store.schedule(message("a", Due.in(Duration.ofDays(1)), 1, "")).get(0);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(message("a", Due.in(Duration.ofDays(2)), 1, "")).get(0)).isEqualTo(first);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aRepeatedCallDoesNotRestoreACancelledMessage() {
		States.scheduled("a").prepare(this.partition);
		this.store.cancel("a", 50);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule("a", DUE, 1)).isEqualTo(answer(Stored.ENDED, DUE));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aRepeatedCallIsSupersededWhenTheIdWasScheduledAgain() {
		States.scheduled("a").prepare(this.partition);
		this.store.cancel("a", 50);
		assertThat(this.store.schedule("a", FAR, 2).stored()).isEqualTo(Stored.CREATED);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule("a", DUE, 1)).isEqualTo(answer(Stored.SUPERSEDED, DUE));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aRepeatedCallDoesNotRestoreAHandledMessage() {
		States.finished().prepare(this.partition);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule("a", DUE, 1)).isEqualTo(answer(Stored.ENDED, DUE));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void anotherPartitionCountIsRefused() {
		this.store.schedule("a", FAR, 1);
		PartitionDump before = this.partition.dump();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.store.schedule(this.store.partition(),
					TestStore.settings(4, MAX_DELAY, GroupSettings.NONE), List.of(message("b", DUE, 2))))
			.withMessageContaining("PARTITIONS 1 are stored, 4 are known")
			.withMessageContaining("set delayqueue.queues.orders.partitions to the same value in all processes")
			.satisfies((failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void theFirstUseIsReportedOnceAndAgainAfterTheKeysWereRemoved() {
		assertThat(schedule(MAX_DELAY, message("a", DUE, 1)).firstUse()).isTrue();
		assertThat(schedule(MAX_DELAY, message("b", DUE, 2)).firstUse()).isFalse();
		this.partition.command("DEL", Key.CONTROL);
		assertThat(schedule(MAX_DELAY, message("c", DUE, 3)).firstUse()).isTrue();
	}

	@Test
	void oneCallAnswersForEachOfItsMessages() {
		States.dead().prepare(this.partition);
		States.scheduled("b").prepare(this.partition);
		List<Answer> answers = this.store.schedule(message("c", FAR, 2), message("a", FAR, 3), message("b", FAR, 4),
				message("c", DUE, 5), message("d", FAR + 1, 6));
		assertThat(answers).containsExactly(answer(Stored.CREATED, FAR), answer(Stored.DEAD, 0),
				answer(Stored.DUPLICATE, 0), answer(Stored.DUPLICATE, 0), answer(Stored.CREATED, FAR + 1));
		assertThat(this.partition.dump().scheduled()).containsEntry("c", FAR).containsEntry("d", FAR + 1);
		assertThat(this.partition.dump().messages()).containsEntry("c", TestMessages.record("c", FAR, 2));
	}

	@Test
	void anotherLayoutIsRefused() {
		this.partition.command("HSET", Key.CONTROL, "layout", "3");
		PartitionDump before = this.partition.dump();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.schedule("a", FAR, 1))
			.withMessageContaining("orders:0")
			.withMessageContaining("LAYOUT 3 is stored, 1 and 2 are known")
			.withMessageContaining("another version of this library")
			.satisfies((failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void dueTimesAreRoundedUpToWholeMilliseconds() {
		this.store.schedule(message("a", Due.at(Instant.ofEpochMilli(DUE).plusNanos(1)), 1, ""));
		assertThat(this.partition.dump().scheduled()).containsEntry("a", DUE + 1);
	}

	private boolean isNewHead(NewMessage... messages) {
		return schedule(TestStore.MAX_DELAY, messages).newHead();
	}

	private Answers schedule(Duration maxDelay, NewMessage... messages) {
		return this.store.schedule(this.store.partition(),
				TestStore.settings(TestStore.PARTITIONS, maxDelay, GroupSettings.NONE), List.of(messages));
	}

	private static Answer answer(Stored stored, long dueMillis) {
		return new Answer(stored, dueMillis, List.of());
	}

}
