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
import io.delayqueue.redis.FailureKind;
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
		List<Carried> letters = carryOut("carrier");
		assertCarrying();
		assertThat(this.epochCalls.carryIn(this.to, EPOCHS, letters, false)).containsOnly(Arrival.HERE);
		assertCarrying();
		assertThat(redrive(this.to, "x")).as("an operator who has listed the newer partition").isOne();
		assertCarrying();
		carried("carrier", "x", "y", "z");
		assertThat(carryOut("carrier")).isEmpty();

		assertThat(redrive(this.from, "x")).isZero();
		assertThat(schedule(this.from, message("new", "g", 4))).isEqualTo(Stored.ELSEWHERE);
		assertThat(schedule(this.to, message("new", "g", 4))).isEqualTo(Stored.CREATED);
		assertThat(redrive(this.to, "y")).isOne();
		assertThat(dump(this.from).ids()).isEmpty();
		assertThat(dump(this.to).scheduled()).containsOnlyKeys("x", "y", "new");
		assertThat(dump(this.to).dead()).containsOnlyKeys("z");
	}

	@Test
	void anotherCarrierContinuesAndTheFirstOneRemovesNothing() {
		this.epochCalls.carryIn(this.to, EPOCHS, carryOut("first"), false);
		redrive(this.to, "x");
		schedule(this.to, TestMessages.onDuplicate(DuplicatePolicy.replace(), message("x", "g", 5)));
		new KnownMessages(this.store.calls()).cancel(this.to, TestMessages.key("y"), CallToken.next(),
				TestStore.WINDOW);

		List<Carried> letters = carryOut("second");
		carried("first", "x", "y", "z");
		assertThat(dump(this.from).messages()).containsOnlyKeys("x", "y", "z");
		assertCarrying();
		assertThat(this.epochCalls.carryIn(this.to, EPOCHS, letters, false)).containsOnly(Arrival.HERE);
		carried("second", "x", "y", "z");

		assertThat(dump(this.from).ids()).isEmpty();
		assertThat(dump(this.to).messages()).containsOnlyKeys("x", "z");
		assertThat(dump(this.to).scheduled()).containsOnlyKeys("x");
	}

	@Test
	void aLetterWhoseIdIsTakenStaysWithItsGroup() {
		schedule(this.to, message("y", "h", 6));

		List<Carried> letters = carryOut("carrier");
		List<Arrival> arrivals = this.epochCalls.carryIn(this.to, EPOCHS, letters, false);
		assertThat(letters).filteredOn((letter) -> arrivals.get(letters.indexOf(letter)) == Arrival.STAYS)
			.extracting(Carried::id)
			.containsExactlyInAnyOrder("x", "y");
		carried("carrier", "z");
		assertThat(this.epochCalls.carryOut(this.from, 2, "carrier")).isEmpty();

		assertThat(dump(this.to).messages()).containsOnlyKeys("y", "z");
		assertThat(schedule(this.from, message("new", "g", 7))).isEqualTo(Stored.CREATED);
		assertThat(redrive(this.from, "x")).isOne();
		assertThat(dump(this.from).messages()).containsOnlyKeys("new", "x", "y");
	}

	/** Every call that would create or move a message of the group is to be repeated. */
	private void assertCarrying() {
		List<Runnable> calls = new ArrayList<>(List.of(() -> schedule(this.from, message("new", "g", 4)),
				() -> schedule(this.from, TestMessages.onDuplicate(DuplicatePolicy.replace(), message("x", "g", 8))),
				() -> redrive(this.from, "x"), () -> this.store.discard("x"), () -> this.store.cancel("x", 9),
				() -> this.store.purge(true, "x")));
		calls.forEach((call) -> assertThatExceptionOfType(StoreException.class).isThrownBy(call::run)
			.satisfies((failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.NOT_EXECUTED)));
		assertThat(schedule(this.from, message("new", "other", 4))).isEqualTo(Stored.ELSEWHERE);
		assertThat(dump(this.from).dead()).containsOnlyKeys("x", "y", "z");
	}

	private List<Carried> carryOut(String carrier) {
		return this.epochCalls.carryOut(this.from, 0, carrier);
	}

	private void carried(String carrier, String... ids) {
		this.epochCalls.carried(this.from, carrier, List.of(ids));
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
			.redrive(partition, CallToken.next(), TestStore.WINDOW, 0, null, List.of(new Redrive(id, Duration.ZERO)))
			.redriven();
	}

	private PartitionDump dump(Partition partition) {
		return PartitionDump.of(this.partition.redis(), this.store.calls().keySpace(), partition);
	}

	private static NewMessage message(String id, @Nullable String group, int token) {
		return TestMessages.message(id, States.DUE, group, token);
	}

}
