package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.EpochCalls.Arrival;
import io.delayqueue.store.EpochCalls.Carried;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls on a group while its dead letters are carried from a closed partition to one of
 * the current epoch.
 */
class CarryIntegrationTests {

	private static final Epochs EPOCHS = Epochs.from("orders", "1,1:1");

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	private final EpochCalls epochCalls = new EpochCalls(this.store.calls());

	private final Partition from = this.store.partition();

	private final Partition to = new Partition("orders", 1, 0);

	@BeforeEach
	void closeWithDeadLetters() {
		this.store.schedule(message("x", "g", 1), message("y", "g", 2), message("z", null, 3));
		this.store.take("holder").forEach((entry) -> this.store.deadLetter(entry, "it broke"));
		this.epochCalls.close(this.from, EPOCHS);
	}

	@AfterEach
	void clear() {
		this.partition.redis()
			.call(Stream
				.concat(Stream.of("DEL"),
						Arrays.stream(Key.values()).map((key) -> this.store.calls().keySpace().name(this.to, key)))
				.toArray(String[]::new));
	}

	@Test
	void theGroupIsNeverInBothPartitions() {
		List<Carried> letters = carryOut();
		assertCarrying();
		assertThat(this.epochCalls.carryIn(this.to, EPOCHS, letters, 0)).containsOnly(Arrival.HERE);
		assertCarrying();
		assertThat(redrive(this.to, "x\1g")).as("an operator who has listed the newer partition").isOne();
		assertCarrying();
		this.epochCalls.carried(this.from, letters);
		assertThat(carryOut()).isEmpty();
		assertThat(this.partition.redis().call("HEXISTS", this.partition.key(Key.CONTROL), "carrying")).isEqualTo(0L);

		assertThat(redrive(this.from, "x\1g")).isZero();
		assertThat(schedule(this.from, message("new", "g", 4))).isEqualTo(Stored.ELSEWHERE);
		assertThat(schedule(this.to, message("new", "g", 4))).isEqualTo(Stored.CREATED);
		assertThat(redrive(this.to, "y\1g")).isOne();
		assertThat(dump(this.from).ids()).isEmpty();
		assertThat(dump(this.to).scheduled()).containsOnlyKeys("x\1g", "y\1g", "new\1g");
		assertThat(dump(this.to).dead()).containsOnlyKeys("z");
	}

	@Test
	void severalCarriersMoveEachDeadLetterOnce() {
		List<Carried> letters = carryOut();
		this.epochCalls.carryIn(this.to, EPOCHS, letters, 0);
		redrive(this.to, "x\1g");
		schedule(this.to, TestMessages.onDuplicate(DuplicatePolicy.replace(), message("x", "g", 5)));
		new KnownMessages(this.store.calls()).cancel(new Candidate(this.to, new StoredId("y", "g"), false),
				CallToken.next(), TestStore.WINDOW);

		List<Carried> again = this.epochCalls.carryOut(this.from, TestMessages.ids("y\1g", "none", "x\1g"));
		assertThat(again).extracting(Carried::id).containsExactly("y", "x");
		assertThat(this.epochCalls.carryIn(this.to, EPOCHS, again, 0)).containsOnly(Arrival.HERE);
		this.epochCalls.carried(this.from, again);
		assertThat(dump(this.from).dead()).containsOnlyKeys("z");
		this.epochCalls.carried(this.from, letters);

		assertThat(dump(this.from).ids()).isEmpty();
		assertThat(dump(this.to).messages()).containsOnlyKeys("x\1g", "z");
		assertThat(dump(this.to).scheduled()).containsOnlyKeys("x\1g");
	}

	@Test
	void aLetterThatHasChangedSinceItWasReadIsNotRemoved() {
		List<Carried> letters = carryOut();
		this.partition.command("ZINCRBY", Key.DEAD, "1", "x");
		this.partition.command("ZADD", Key.SCHEDULED, "1", "y");

		this.epochCalls.carried(this.from, letters);
		assertThat(dump(this.from).messages()).containsOnlyKeys("x\1g", "y\1g");
	}

	@Test
	void aLetterWhoseIdIsTakenStays() {
		schedule(this.to, message("y", "g", 6));

		List<Carried> letters = carryOut();
		List<Arrival> arrivals = this.epochCalls.carryIn(this.to, EPOCHS, letters, 0);
		assertThat(letters).filteredOn((letter) -> arrivals.get(letters.indexOf(letter)) == Arrival.STAYS)
			.extracting(Carried::id)
			.containsExactly("y");
		this.epochCalls.carried(this.from, letters.stream().filter((letter) -> !letter.id().equals("y")).toList());
		assertThat(this.epochCalls.carryOut(this.from, 1)).isEmpty();

		assertThat(dump(this.to).messages()).containsOnlyKeys("x\1g", "y\1g", "z");
		assertThat(schedule(this.from, message("new", "g", 7))).isEqualTo(Stored.ELSEWHERE);
		assertCarrying("y");
	}

	private void assertCarrying() {
		assertCarrying("x");
		assertThat(dump(this.from).dead()).containsOnlyKeys("x\1g", "y\1g", "z");
	}

	/** No call changes a dead letter, and the partition takes no message. */
	private void assertCarrying(String id) {
		List<Runnable> calls = new ArrayList<>(List.of(
				() -> schedule(this.from, TestMessages.onDuplicate(DuplicatePolicy.replace(), message(id, "g", 8))),
				() -> redrive(this.from, TestMessages.stored(id, "g")), () -> this.store.discard(id),
				() -> this.store.cancel(id, 9), () -> this.store.purge(true, id)));
		calls.forEach((call) -> assertThatExceptionOfType(StoreException.class).isThrownBy(call::run)
			.satisfies((failure) -> assertThat(failure.isCarrying()).isTrue()));
		this.store.purge(false, id);
		assertThat(schedule(this.from, message(id, "g", 8))).isEqualTo(Stored.DEAD);
		assertThat(schedule(this.from, message(id, "other", 8))).isEqualTo(Stored.ELSEWHERE);
		assertThat(schedule(this.from, message("new", "g", 4))).isEqualTo(Stored.ELSEWHERE);
		assertThat(schedule(this.from, message("new", "other", 4))).isEqualTo(Stored.ELSEWHERE);
	}

	private List<Carried> carryOut() {
		return this.epochCalls.carryOut(this.from, 0);
	}

	private Stored schedule(Partition partition, NewMessage message) {
		return this.store.scheduled()
			.schedule(partition, EPOCHS, this.store.settings(), List.of(message))
			.answers()
			.get(0)
			.stored();
	}

	private int redrive(Partition partition, String id) {
		return this.store.deadLetters()
			.redrive(partition, CallToken.next(), TestStore.WINDOW, 0,
					List.of(new Redrive(StoredId.from(Reply.bytes(id)), Duration.ZERO)))
			.redriven();
	}

	private PartitionDump dump(Partition partition) {
		return PartitionDump.of(this.partition.redis(), this.store.calls().keySpace(), partition);
	}

	private static NewMessage message(String id, @Nullable String group, int token) {
		return TestMessages.message(id, States.DUE, group, token);
	}

}
