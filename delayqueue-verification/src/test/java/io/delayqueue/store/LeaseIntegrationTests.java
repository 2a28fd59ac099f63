package io.delayqueue.store;

import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Scenario.Given;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A delivery whose message was cancelled, replaced or delivered to another consumer can
 * no longer settle it, and leaves no data behind.
 */
class LeaseIntegrationTests {

	private static final int NEW = 2;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@ParameterizedTest(name = "{0} after: {1}")
	@MethodSource
	void anOldDeliverySettlesNothing(String how, String state, BiFunction<TestStore, Entry, Settled> settle,
			Given given) {
		Entry old = given.prepare(this.partition).get(0);
		PartitionDump before = this.partition.dump();
		assertThat(settle.apply(this.store, old)).isEqualTo(Settled.SUPERSEDED);
		PartitionDump after = this.partition.dump();
		assertThat(after.messages()).isEqualTo(before.messages()).containsKey("a");
		assertThat(after.scheduled()).isEqualTo(before.scheduled());
		assertThat(after.entries()).isEqualTo(before.entries());
		assertThat(after.failures()).isEqualTo(before.failures());
		assertThat(after.dead()).isEqualTo(before.dead());
		assertThat(after.done()).isEqualTo(before.done());
		assertThat(after.stream().entries()).doesNotContainKey(old.entry());
		assertThat(after.stream().pending()).doesNotContainKey(old.entry());
		assertThat(Audit.order(after, this.partition.now(), Set.of())).isEmpty();
	}

	static Stream<Arguments> anOldDeliverySettlesNothing() {
		BiFunction<TestStore, Entry, Settled> acknowledge = (store, old) -> store.acknowledge(old).get(0);
		BiFunction<TestStore, Entry, Settled> release = (store, old) -> store.release(DUE, old).get(0);
		BiFunction<TestStore, Entry, Settled> deadLetter = (store, old) -> store.deadLetter(old, "it broke");
		BiFunction<TestStore, Entry, Settled> retry = (store, old) -> store.retry(old, "it broke");
		return states().flatMap((state) -> {
			Object name = state.get()[0];
			Object given = state.get()[1];
			return Stream.of(Arguments.of("acknowledge", name, acknowledge, given),
					Arguments.of("release", name, release, given), Arguments.of("retry", name, retry, given),
					Arguments.of("dead-letter", name, deadLetter, given));
		});
	}

	private static Stream<Arguments> states() {
		Given scheduledAgain = States.replacedWhilePending();
		Given againAndReady = scheduledAgain.andThen((partition, held) -> {
			partition.store().sweep();
			return held;
		});
		Given againAndDead = States.pendingTwice().andThen((partition, held) -> {
			partition.store().deadLetter(held.get(1), "it broke too");
			return held;
		});
		Given released = States.pending("a").andThen((partition, held) -> {
			partition.store().release(DUE, held.get(0));
			return held;
		});
		Given withAnother = released.andThen((partition, held) -> {
			partition.store().take("second");
			return held;
		});
		return Stream.of(Arguments.of("scheduled again", scheduledAgain),
				Arguments.of("scheduled again and ready", againAndReady),
				Arguments.of("scheduled again and pending", States.pendingTwice()),
				Arguments.of("scheduled again and dead", againAndDead), Arguments.of("released", released),
				Arguments.of("released and pending with another consumer", withAnother));
	}

	@Test
	void theNewDeliverySettlesRegardlessOfTheOldOne() {
		List<Entry> held = States.pendingTwice().prepare(this.partition);
		assertThat(held.get(1).record()).isEqualTo(Reply.bytes(TestMessages.record("a", DUE, NEW)));
		assertThat(this.store.acknowledge(held.get(1))).containsExactly(Settled.COUNTED);
		assertThat(this.store.acknowledge(held.get(0))).containsExactly(Settled.GONE);
		assertNothingIsLeft();
	}

	@Test
	void aMessageCancelledWhileReadyAndScheduledAgainIsDeliveredOnce() {
		States.ready("a").prepare(this.partition);
		assertThat(this.store.cancel("a", 50)).isEqualTo(Cancelled.CANCELLED);
		this.store.schedule("a", DUE, NEW);
		assertThat(Drain.of(this.store)).containsExactly(TestMessages.record("a", DUE, NEW));
		assertNothingIsLeft();
	}

	@Test
	void afterACancelWhilePendingTheOldDeliverySettlesNothing() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		assertThat(this.store.cancel("a", 50)).isEqualTo(Cancelled.IN_FLIGHT);
		assertThat(this.store.release(DUE, held)).containsExactly(Settled.GONE);
		assertNothingIsLeft();
	}

	private void assertNothingIsLeft() {
		PartitionDump dump = this.partition.dump();
		assertThat(dump.ids()).isEmpty();
		assertThat(dump.stream().entries()).isEmpty();
		assertThat(dump.stream().pending()).isEmpty();
	}

}
