package io.delayqueue.store;

import java.time.Duration;
import java.util.List;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.EpochCalls.Arrival;
import io.delayqueue.store.EpochCalls.Carried;
import io.delayqueue.store.EpochCalls.End;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Dead letters on their way through three epochs: the sequences that the model of epochs
 * finds if a rule is broken.
 */
class CarryingIntegrationTests {

	@RegisterExtension
	final TestPartition first = TestPartition.shared();

	private final TestPartition second = this.first.ofEpoch(1);

	private final TestPartition third = this.first.ofEpoch(2);

	private final EpochCalls calls = new EpochCalls(this.first.store().calls());

	private final Epochs two = new Epochs("orders", 1, List.of(new Epoch(0, 1, false), new Epoch(1, 1, false)));

	private final Epoch newest = new Epoch(2, 1, false);

	private final Epochs three = this.two.with(this.newest, 1);

	@AfterEach
	void close() {
		this.second.close();
		this.third.close();
	}

	@Test
	void anEpochInBetweenIsClosedBeforeADeadLetterGoesToANewerOne() {
		die(this.first, message("a", null, 1));
		List<Carried> letters = read();

		assertThat(copy(this.second, this.newest, letters)).containsExactly(Arrival.ELSEWHERE);
		assertThat(copy(this.third, null, letters)).containsExactly(Arrival.HERE);
		this.calls.carried(this.first.store().partition(), letters);

		// A producer that does not know the third epoch
		assertThat(ask(this.first, message("a", null, 2))).isEqualTo(Stored.ELSEWHERE);
		assertThat(ask(this.second, message("a", null, 2))).isEqualTo(Stored.ELSEWHERE);
		assertThat(ask(this.third, message("a", null, 2))).isEqualTo(Stored.DEAD);
	}

	@Test
	void aDeadLetterThatAnEpochInBetweenHasGoesToNoNewerOne() {
		die(this.first, message("a", null, 1));
		copy(this.second, null, read());
		assertThat(copy(this.second, this.newest, read())).containsExactly(Arrival.HERE);

		this.second.store().discard("a");
		assertThat(copy(this.second, this.newest, read())).containsExactly(Arrival.HERE);
		assertThat(this.second.store().discard("a")).isZero();
	}

	@Test
	void aPartitionRemembersTheDeadLettersThatItHasHandedOn() {
		die(this.first, message("a", null, 1));
		copy(this.second, null, read());
		Partition second = this.second.store().partition();
		this.calls.close(second, this.three);
		assertThat(this.calls.remaining(second).end()).isEqualTo(End.LASTS);

		List<Carried> letters = this.calls.carryOut(second, 0);
		copy(this.third, null, letters);
		this.calls.carried(second, letters);

		assertThat(this.calls.remaining(second).end()).isEqualTo(End.RECEIVED);
	}

	@Test
	void theDeadLettersOfAGroupStayTogetherInAnEpochInBetween() {
		die(this.first, message("a", "g", 1), message("b", "g", 2), message("c", "h", 3));
		List<Carried> letters = read();
		copy(this.second, null, letters.subList(0, 1));

		assertThat(copy(this.second, this.newest, letters)).containsExactly(Arrival.HERE, Arrival.HERE,
				Arrival.ELSEWHERE);
	}

	@Test
	void aPartitionWhoseOwnDeadLettersAreCarriedTakesNoOther() {
		die(this.first, message("a", "g", 1), message("b", "g", 2), message("c", "h", 3));
		List<Carried> letters = read();
		copy(this.second, null, letters.subList(0, 1));
		this.calls.close(this.second.store().partition(), this.three);
		this.calls.carryOut(this.second.store().partition(), 0);

		assertThat(copy(this.second, this.newest, letters)).containsExactly(Arrival.HERE, Arrival.ELSEWHERE,
				Arrival.ELSEWHERE);
	}

	@Test
	void aDeadLetterThatHasEndedIsNotStoredAgain() {
		die(this.first, message("a", null, 1));
		copy(this.second, null, read());
		this.second.store().redrive("a");
		Entry entry = this.second.store().take("consumer").get(0);
		this.second.store()
			.pending()
			.acknowledge(this.second.store().partition(), Duration.ZERO,
					List.of(TestStore.acknowledgement(entry, Duration.ZERO)));
		// The windows of the id and of its call have ended, and a sweep removes them
		this.second.store().schedule(message("next", null, 2));
		this.second.store().sweep();

		assertThat(copy(this.second, null, read())).containsExactly(Arrival.HERE);

		assertThat(this.second.dump().dead()).isEmpty();
		this.calls.carried(this.first.store().partition(), read());
		assertThat(this.calls.remaining(this.first.store().partition()).end()).isEqualTo(End.ENDED);
	}

	@Test
	void aDeadLetterWhoseIdIsTakenStays() {
		die(this.first, message("a", "g", 1), message("b", "g", 2), message("c", "h", 3), message("d", null, 4));
		this.second.store().schedule(message("b", "g", 5), message("d", null, 6), message("c", "g", 7));

		assertThat(copy(this.second, null, read())).containsExactly(Arrival.HERE, Arrival.STAYS, Arrival.HERE,
				Arrival.STAYS);
		assertThat(this.second.dump().dead()).containsOnlyKeys("a\1g", "c\1h");
	}

	@Test
	void aCopyThatArrivesAfterMinutesStoresNothing() {
		die(this.first, message("a", null, 1), message("b", "g", 2));
		List<Carried> late = read().stream()
			.map((letter) -> new Carried(letter.storedId(), letter.parts(),
					letter.readAtMillis() - Duration.ofMinutes(6).toMillis()))
			.toList();

		assertThat(copy(this.second, null, late)).containsOnly(Arrival.LATE);

		assertThat(this.second.dump().ids()).isEmpty();
		assertThat(copy(this.second, null, read())).containsOnly(Arrival.HERE);
		assertThat(copy(this.second, null, late)).containsOnly(Arrival.HERE);
	}

	@Test
	void aRepeatedCopyStoresNothing() {
		die(this.first, message("a", "g", 1), message("b", null, 2));
		List<Carried> letters = read();
		copy(this.second, null, letters);
		PartitionDump copied = this.second.dump();

		assertThat(copy(this.second, null, letters)).containsOnly(Arrival.HERE);

		assertThat(this.second.dump().ids()).isEqualTo(copied.ids());
		assertThat(this.second.dump().dead()).isEqualTo(copied.dead());
		assertThat(this.second.dump().done().keySet()).as("remembered from now on").isEqualTo(copied.done().keySet());
	}

	private List<Carried> read() {
		this.calls.close(this.first.store().partition(), this.two);
		return this.calls.carryOut(this.first.store().partition(), 0);
	}

	private List<Arrival> copy(TestPartition to, @Nullable Epoch newer, List<Carried> letters) {
		return this.calls.carryIn(to.store().partition(), (newer != null) ? this.three : this.two, letters, 0);
	}

	private Stored ask(TestPartition partition, NewMessage message) {
		TestStore store = partition.store();
		return store.scheduled()
			.schedule(store.partition(), this.two, store.settings(), List.of(message))
			.answers()
			.get(0)
			.stored();
	}

	private static NewMessage message(String id, @Nullable String group, int token) {
		return TestMessages.message(id, States.DUE, group, token);
	}

	private static void die(TestPartition partition, NewMessage... messages) {
		partition.store().schedule(messages);
		partition.store().take("consumer").forEach((entry) -> partition.store().deadLetter(entry, "refused"));
	}

}
