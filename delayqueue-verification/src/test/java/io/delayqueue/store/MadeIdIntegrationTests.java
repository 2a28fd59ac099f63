package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.redis.CallRetry;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static io.delayqueue.store.TestMessages.made;
import static io.delayqueue.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Generated ids: only earlier runs of the same call can have left data of such an id.
 */
class MadeIdIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void aGeneratedIdIsStoredAsAnyOther() {
		this.store.schedule(made(message("a", FAR, 1)));
		PartitionDump first = this.partition.dump();
		assertThat(first).isEqualTo(new ExpectedDump().message("a", FAR, 1).scheduled("a", FAR).build());
		assertThat(this.store.schedule(made(message("b", DUE, 2)), made(message("c", FAR, 3))))
			.extracting(Answer::stored)
			.containsOnly(Stored.CREATED);
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", FAR, 1)
			.scheduled("a", FAR)
			.message("b", DUE, 2)
			.scheduled("b", DUE)
			.message("c", FAR, 3)
			.scheduled("c", FAR)
			.build());
	}

	@Test
	void aDelayCountsFromTheTimeOfRedis() {
		this.store.schedule(made(message("a", FAR, 1)));
		Answer answer = this.store.schedule(made(message("b", Due.in(Duration.ofSeconds(30)), 2, ""))).get(0);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.scheduled()).containsEntry("b", answer.dueMillis());
		assertThat(dump.messages()).containsEntry("b", "1%016dtoken000002\n".formatted(answer.dueMillis()));
	}

	@Test
	void aRepeatedCallReportsCreatedAndKeepsTheFirstDueTime() {
		this.store.schedule("other", FAR, 9);
		NewMessage message = made(message("a", Due.in(Duration.ofDays(1)), 1, ""));
		Answer first = this.store.schedule(message).get(0);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(message)).containsExactly(first);
		assertThat(this.store.schedule(message, made(message("b", FAR, 2))).get(0)).isEqualTo(first);
		assertThat(this.partition.dump().messages()).containsAllEntriesOf(before.messages());
	}

	@Test
	void aRepeatedCallDoesNotRestoreAHandledMessage() {
		NewMessage message = made(message("a", DUE, 1));
		this.store.schedule(message);
		this.store.sweep();
		this.store.acknowledge(this.store.read("holder").toArray(Entry[]::new));
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(message).get(0).stored()).isEqualTo(Stored.ENDED);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aRepeatCompletesAStoppedRunAndReportsTheNewHead() {
		this.store.schedule("other", FAR, 9);
		this.partition.command("ZADD", Key.SCHEDULED, Long.toString(DUE), "a");
		Answers answers = schedule(TestStore.PARTITIONS, made(message("a", DUE + 1, 1)), made(message("b", FAR, 2)));
		assertThat(answers.answers()).extracting(Answer::stored).containsOnly(Stored.CREATED);
		assertThat(answers.newHead()).isTrue();
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE + 1, 1)
			.scheduled("a", DUE + 1)
			.message("b", FAR, 2)
			.scheduled("b", FAR)
			.message("other", FAR, 9)
			.scheduled("other", FAR)
			.build());
	}

	@Test
	void aRefusalAfterAnEarlierRunReportsThatItMayHaveRun() {
		NewMessage stored = made(message("a", FAR, 1));
		NewMessage handled = made(message("b", DUE, 2));
		this.store.schedule(stored, handled);
		this.store.sweep();
		this.store.acknowledge(this.store.read("holder").toArray(Entry[]::new));
		this.partition.command("DEL", Key.READY);
		this.partition.command("SET", Key.READY, "of another program");
		assertThat(refusal(TestStore.PARTITIONS, stored).mayHaveRun()).isTrue();
		assertThat(refusal(TestStore.PARTITIONS, handled).mayHaveRun()).isTrue();
		assertThat(refusal(TestStore.PARTITIONS, made(message("c", FAR, 3)), stored).mayHaveRun()).isTrue();
		assertThat(refusal(TestStore.PARTITIONS + 1, stored).mayHaveRun()).isTrue();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> new CallRetry(Duration.ofMinutes(1), new RedisGate(new TaskPool(), null))
				.call(() -> schedule(TestStore.PARTITIONS, stored)))
			.matches(StoreException::mayHaveRun)
			.matches((refused) -> refused.kind() == FailureKind.REFUSED);
		NewMessage beyond = made(message("d", Due.in(TestStore.MAX_DELAY.plusMillis(1)), 4, ""));
		assertThat(refusal(TestStore.PARTITIONS, beyond).mayHaveRun()).isFalse();
	}

	@Test
	void aCallAfterARefusalThatMayHaveRunHasCertainlyNotRun() {
		StoreException refusal = new StoreException(FailureKind.REFUSED, "WRONGTYPE", null).ofARepeat();
		assertThat(refusal.asNotExecuted().mayHaveRun()).isFalse();
		assertThat(refusal.asNotExecuted().kind()).isEqualTo(FailureKind.REFUSED);
	}

	private StoreException refusal(int partitions, NewMessage... messages) {
		StoreException refusal = catchThrowableOfType(StoreException.class, () -> schedule(partitions, messages));
		assertThat(refusal.kind()).isEqualTo(FailureKind.REFUSED);
		return refusal;
	}

	@Test
	void aRefusedMessageDoesNotPreventStoringTheRest() {
		this.store.schedule("other", FAR, 9);
		NewMessage beyond = made(message("b", Due.in(TestStore.MAX_DELAY.plusMillis(1)), 2, ""));
		assertThat(this.store.schedule(made(message("a", FAR, 1)), beyond, made(message("c", DUE, 3))))
			.extracting(Answer::stored)
			.containsExactly(Stored.CREATED, Stored.TOO_FAR, Stored.CREATED);
		assertThat(this.partition.dump().scheduled()).containsOnlyKeys("a", "c", "other");
	}

	@Test
	void aDrainingPartitionRefusesGeneratedIds() {
		this.store.schedule("other", FAR, 9);
		this.store.control(Switch.DRAINING, true);
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(made(message("a", DUE, 1))).get(0).stored()).isEqualTo(Stored.DRAINING);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aPartitionWithAnotherCountRefusesGeneratedIds() {
		this.store.schedule("other", FAR, 9);
		PartitionDump before = this.partition.dump();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> schedule(TestStore.PARTITIONS + 1, made(message("a", DUE, 1))))
			.withMessageContaining("PARTITIONS");
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void withoutAStoredLayoutTheCallIsTheFirstUse() {
		this.store.schedule("other", FAR, 9);
		assertThat(schedule(TestStore.PARTITIONS, made(message("a", FAR, 1))).firstUse()).isFalse();
		this.partition.command("HDEL", Key.CONTROL, "layout");
		assertThat(schedule(TestStore.PARTITIONS, made(message("b", FAR, 2))).firstUse()).isTrue();
	}

	@Test
	void onlyTheEarliestMessageIsTheNewHead() {
		this.store.schedule("other", FAR, 9);
		assertThat(schedule(TestStore.PARTITIONS, made(message("a", FAR, 1))).newHead()).isFalse();
		assertThat(schedule(TestStore.PARTITIONS, made(message("b", FAR + 1, 2))).newHead()).isFalse();
		assertThat(schedule(TestStore.PARTITIONS, made(message("c", FAR + 1, 3)), made(message("d", FAR - 1, 4)))
			.newHead()).isTrue();
	}

	private Answers schedule(int partitions, NewMessage... messages) {
		return this.store.schedule(this.store.partition(),
				TestStore.settings(partitions, TestStore.MAX_DELAY, GroupSettings.NONE), List.of(messages));
	}

	@Test
	void theIdOfAnotherCallIsADuplicate() {
		this.store.schedule(made(message("a", FAR, 1)));
		PartitionDump before = this.partition.dump();
		assertThat(this.store.schedule(made(message("a", DUE, 2))).get(0).stored()).isEqualTo(Stored.DUPLICATE);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

}
