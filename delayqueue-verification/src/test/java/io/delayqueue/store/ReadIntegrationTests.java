package io.delayqueue.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.DueMessages.GroupLimit;
import io.delayqueue.store.DueMessages.SweepLimits;
import io.delayqueue.store.ReadyMessages.Allowance;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

class ReadIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@Test
	void messagesSweptBeforeThereWasAConsumerGroupAreDelivered() {
		States.ready("a", "b").prepare(this.partition);
		long before = this.partition.now();
		Read read = this.store.ready().read(this.store.partition(), "one", 1);
		assertThat(read.nowMicros() / 1000).isBetween(before, this.partition.now());
		Entry first = read.entries().get(0);
		Entry second = this.store.read("two").get(0);
		assertThat(this.partition.dump()).isEqualTo(new ExpectedDump().message("a", DUE, 1)
			.message("b", DUE, 1)
			.pending("a", first.entry(), "one")
			.pending("b", second.entry(), "two")
			.build());
		assertThat(first.record()).isEqualTo(Reply.bytes(TestMessages.record("a", DUE, 1)));
		assertThat(first.failures().attempts()).isZero();
		assertThat(this.store.read("two")).isEmpty();
	}

	@Test
	void nothingIsDeliveredFromAnEmptyPartition() {
		Read read = this.store.ready().read(this.store.partition(), "one", 5);
		assertThat(read.entries()).isEmpty();
		assertThat(read.isStopped()).isFalse();
	}

	@Test
	void recordsTooLargeForOneCallAreReturnedCompletelyAndInOrder() {
		String large = "x".repeat(600_000);
		this.store.schedule(large("a", large), large("b", large), large("c", large), large("d", large),
				large("e", large), large("f", large));
		this.store.sweep();
		this.partition.command("HSET", Key.FAILURES, "b", States.FAILED_TWICE);
		this.partition.command("HDEL", Key.MESSAGES, "c");
		this.partition.command("HSET", Key.ENTRIES, "d", "1-0");
		this.partition.command("ZADD", Key.EXPIRIES, Long.toString(FAR), "e");

		List<Entry> read = this.store.read("one");

		assertThat(read).extracting(Entry::entry)
			.containsExactlyElementsOf(this.partition.dump().stream().entries().keySet());
		assertThat(read).extracting(Entry::id).containsExactly("a", "b", "c", "d", "e", "f");
		assertThat(read).extracting((entry) -> entry.record() != null)
			.containsExactly(true, true, false, false, true, true);
		assertThat(read).extracting((entry) -> entry.special() == Entry.Special.LOST)
			.containsExactly(false, false, true, false, false, false);
		assertThat(read).extracting((entry) -> entry.failures().attempts()).containsExactly(0, 3, 0, 0, 0, 0);
		assertThat(read).extracting(Entry::expiryMillis).containsExactly(-1L, -1L, -1L, -1L, FAR, -1L);
		assertThat(Reply.text(read.get(5).record())).endsWith(large);
	}

	@Test
	void eachOfManyMessagesIsReturnedWithItsRecord() {
		List<String> ids = IntStream.range(10, 40).mapToObj((n) -> "m" + n).toList();
		ids.forEach((id) -> this.store.schedule(id, DUE, 1));
		this.store.sweep();
		this.partition.command("HSET", Key.ENTRIES, "m14", "1-0");
		this.partition.command("HSET", Key.ENTRIES, "m16", "1-0");
		this.partition.command("HDEL", Key.MESSAGES, "m21");

		List<Entry> read = this.store.read("one");

		assertThat(read).extracting(Entry::id).containsExactlyElementsOf(ids);
		assertThat(read).allSatisfy(
				(entry) -> assertThat(entry.record()).isEqualTo(List.of("m14", "m16", "m21").contains(entry.id()) ? null
						: Reply.bytes(TestMessages.record(entry.id(), DUE, 1))));
		assertThat(read).filteredOn((entry) -> entry.special() == Entry.Special.LOST)
			.extracting(Entry::id)
			.containsExactly("m21");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aRepeatAfterALostReplyTakesNoOtherMessagesOfALimitedQueue(boolean sweeps) {
		this.store.schedule("a", DUE, 1);
		this.store.schedule("b", DUE + 1, 2);
		this.store.schedule("c", DUE + 2, 3);
		this.store.sweep();
		assertThat(readOne(0, sweeps).entries()).hasSize(1);
		Entry lost = readOne(1, sweeps).entries().get(0);
		assertThat(this.store.read("two")).extracting(Entry::id).containsExactly("c");
		this.store.schedule("d", DUE + 3, 4);
		this.store.sweep();

		Read repeat = readOne(1, sweeps);

		assertThat(repeat.entries()).isEmpty();
		assertThat(repeat.state()).isEqualTo(Read.State.UNKNOWN_PENDING);
		this.store.release(DUE, lost);
		assertThat(readOne(1, sweeps).entries()).extracting(Entry::id).containsExactly("d");
	}

	private Read readOne(int held, boolean sweeps) {
		Allowance allowance = new Allowance(1000 * FAR, held);
		return sweeps ? this.store.due()
			.sweep(this.store.partition(), new SweepLimits(1, 1, GroupLimit.NONE, Map.of()), "", "one", 1, allowance)
			.read() : this.store.ready().read(this.store.partition(), "one", 1, allowance);
	}

	private static NewMessage large(String id, String payload) {
		return TestMessages.message(id, Due.at(Instant.ofEpochMilli(DUE)), 1, payload);
	}

	@Test
	void aDestroyedConsumerGroupIsCreatedAgainAndDeliversAllEntries() {
		States.pending("a").prepare(this.partition);
		States.ready("b").prepare(this.partition);
		this.partition.consumerGroup("DESTROY");
		assertThat(this.store.read("one")).extracting(Entry::id).containsExactly("a", "b");
	}

	@Test
	void anEntryWithoutARecordHasNoMessageToHandle() {
		States.ghost(States.ready("a")).prepare(this.partition);
		Entry entry = this.store.read("one").get(0);
		assertThat(entry.record()).isNull();
		assertThat(entry.special()).isEqualTo(Entry.Special.LOST);
		assertThat(entry.id()).isEqualTo("a");
	}

	@Test
	void anEntryThatIsNotTheCurrentOneHasNoMessageToHandle() {
		States.ready("a").prepare(this.partition);
		this.partition.command("HSET", Key.ENTRIES, "a", "1-0");
		assertThat(this.store.read("one").get(0)).satisfies((entry) -> {
			assertThat(entry.record()).isNull();
			assertThat(entry.special()).isEqualTo(Entry.Special.NONE);
		});
		this.partition.command("HDEL", Key.ENTRIES, "a");
		this.partition.consumerGroup("SETID", "0");
		assertThat(this.store.read("one").get(0).record()).isNull();
	}

	@Test
	void aMessageThatWasMovedWhileReadyIsNotDeliveredEarly() {
		States.ready("a").prepare(this.partition);
		this.store.reschedule("a", FAR);
		assertThat(this.store.take("one")).isEmpty();
	}

	@Test
	void earlierFailuresAreReturnedWithTheDelivery() {
		States.failedTwice(States.ready("a")).prepare(this.partition);
		assertThat(this.store.read("one").get(0).failures()).isEqualTo(new FailureRecord(2, 1, 0, "it broke"));
	}

}
