package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.Envelope;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A token that names its own window is recognised for that long, however its message ends
 * and whatever the call has found.
 */
class LastingWindowIntegrationTests {

	/** Names 64 minutes. The window of the store is 10 minutes. */
	private static final String LASTING = "token00000M";

	private static final long WINDOW = Duration.ofMinutes(64).toMillis();

	private static final String KEPT = "604800000|1000";

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store()
		.with(new GroupSettings(1, true, false, 1, null, null, Map.of()));

	/** What ends message "a" of group "g". */
	private enum End {

		ACKNOWLEDGED((store) -> store.acknowledge(store.take("consumer").get(0))),

		CANCELLED((store) -> store.cancel("a", 1)),

		DISCARDED((store) -> {
			store.deadLetter(store.take("consumer").get(0), "it failed");
			store.discard("a");
		}),

		PURGED((store) -> store.purge(false, "a")),

		REPLACED((store) -> store
			.schedule(TestMessages.onDuplicate(DuplicatePolicy.replace(), TestMessages.message("a", FAR, "g", 2)))),

		DROPPED((store) -> store.schedule(TestMessages.message("b", FAR, "g", 2)));

		private final Consumer<TestStore> call;

		End(Consumer<TestStore> call) {
			this.call = call;
		}

	}

	private static NewMessage lasting(String id) {
		return TestMessages.message(id, Due.at(Instant.ofEpochMilli(DUE)),
				new Envelope(LASTING, "g", Map.of(), Reply.bytes("payload")));
	}

	/** Removes the windows that end within 50 minutes. */
	private void forgetShortWindows() {
		this.partition.command("ZREMRANGEBYSCORE", Key.DONE, "-inf",
				Long.toString(this.partition.now() + Duration.ofMinutes(50).toMillis()));
	}

	@ParameterizedTest
	@EnumSource
	void aLateRepeatOfTheScheduleChangesNothing(End end) {
		this.store.keep(KEPT);
		this.store.schedule(lasting("a"));
		long from = this.partition.now() + WINDOW;
		end.call.accept(this.store);
		assertThat(this.partition.dump().done().get("\0" + LASTING)).isBetween(from, this.partition.now() + WINDOW);
		// The history has no end of a replaced message
		assertThat(this.store.ends().isEmpty()).isEqualTo(end == End.REPLACED);
		forgetShortWindows();
		PartitionDump before = this.partition.dump();
		this.store.schedule(lasting("a"));
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@Test
	void aLateRepeatThatWasADuplicateIsNotStored() {
		this.store.schedule(TestMessages.message("a", FAR, "g", 1));
		this.store.schedule(lasting("a"));
		this.store.cancel("a", 2);
		forgetShortWindows();
		this.store.schedule(lasting("a"));
		assertThat(this.partition.dump().messages()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aLateRepeatOfACancelRemovesNoLaterMessage(boolean hasRemoved) {
		if (hasRemoved) {
			this.store.schedule("a", FAR, 1);
		}
		cancel();
		forgetShortWindows();
		this.store.schedule("a", FAR, 2);
		PartitionDump before = this.partition.dump();
		cancel();
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	private void cancel() {
		this.store.cancel("a", LASTING, true);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aLateRepeatOfARescheduleMovesNothing(boolean hasMoved) {
		if (hasMoved) {
			this.store.schedule("a", FAR, 1);
		}
		this.store.reschedule("a", FAR + 5, LASTING);
		forgetShortWindows();
		if (hasMoved) {
			this.store.reschedule("a", FAR + 9);
		}
		else {
			this.store.schedule("a", FAR, 2);
		}
		PartitionDump before = this.partition.dump();
		this.store.reschedule("a", FAR + 5, LASTING);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallThatAsksForTheMessageWithoutAGroupFirstIsRepeatedAsAWhole(boolean hasFound) {
		if (hasFound) {
			this.store.schedule(TestMessages.message("a", FAR, "g", 1));
		}
		Cancelled first = cancelInTwoSteps();
		assertThat(first).isEqualTo(hasFound ? Cancelled.CANCELLED : Cancelled.NONE);
		forgetShortWindows();
		this.store.schedule(TestMessages.message("a", FAR, "g", 2));
		PartitionDump before = this.partition.dump();
		assertThat(cancelInTwoSteps()).isEqualTo(first);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	private Cancelled cancelInTwoSteps() {
		Cancelled exactly = this.store.cancel("a", LASTING, false);
		return (exactly != Cancelled.NONE) ? exactly : this.store.cancel("a", LASTING, true);
	}

	@Test
	void aLateRepeatOfARescheduleOfAHeldMessageSaysSoAgain() {
		this.store.schedule("a", 1, 1);
		Entry held = this.store.take("consumer").get(0);
		this.store.schedule(TestMessages.message("a", FAR, "g", 2));
		assertThat(rescheduleInTwoSteps()).isEqualTo(Moved.IN_FLIGHT);
		this.store.acknowledge(held);
		forgetShortWindows();
		PartitionDump before = this.partition.dump();
		assertThat(rescheduleInTwoSteps()).isEqualTo(Moved.IN_FLIGHT);
		assertThat(this.partition.dump()).isEqualTo(before);
	}

	private Moved rescheduleInTwoSteps() {
		Moved exactly = this.store.reschedule("a", FAR + 5, LASTING, false).moved();
		return (exactly != Moved.NONE) ? exactly : this.store.reschedule("a", FAR + 5, LASTING, true).moved();
	}

	@Test
	void anotherTokenIsForgottenAfterTheWindowOfTheStore() {
		this.store.schedule("a", FAR, 1);
		this.store.cancel("a", 2);
		assertThat(this.partition.dump().done()).hasSize(2)
			.allSatisfy((member, end) -> assertThat(end)
				.isLessThanOrEqualTo(this.partition.now() + TestStore.WINDOW.toMillis()));
	}

}
