package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.delayqueue.RateLimit;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stops {@code sweep}, {@code read}, {@code hold} and {@code end-holds} after each of
 * their writes, in groups with a rate, a limit and a hold. Afterwards no group gets more
 * than its limits, and each message is delivered.
 */
@Tag("slow")
class StoppedGroupLimitIntegrationTests {

	private static final int MESSAGES = 8;

	private static final int BURST = 3;

	private static final String GROUP = "g";

	private static final Duration HOUR = Duration.ofHours(1);

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	/**
	 * A call that is stopped.
	 *
	 * @param name what happens
	 * @param concurrency the limit of the group, 0 for none
	 * @param prepare the calls before it
	 * @param stopped the call
	 */
	private record Call(String name, int concurrency, Consumer<Group> prepare, Consumer<Group> stopped) {

		@Override
		public String toString() {
			return this.name + ", concurrency " + this.concurrency;
		}

	}

	private static Stream<Call> calls() {
		return Stream.of(0, 1, 2)
			.flatMap((concurrency) -> Stream.of(new Call("sweep of due messages", concurrency, (group) -> {
			}, (group) -> group.take(100)), new Call("sweep of throttled messages", concurrency, (group) -> {
				group.take(100);
				group.acknowledge();
				group.take(100);
				group.passHours(2);
			}, (group) -> group.take(100)), new Call("sweep that resumes the last ones", concurrency, (group) -> {
				group.take(100);
				group.acknowledge();
				group.take(100);
				group.passHours(100);
			}, (group) -> group.take(100)), new Call("sweep of held messages", concurrency, (group) -> group.hold(FAR),
					(group) -> group.take(100)), new Call("sweep after a hold", concurrency, (group) -> {
						group.hold(FAR);
						group.take(100);
						group.endHold();
					}, (group) -> group.take(100)),
					new Call("read", concurrency, (group) -> group.take(0), Group::read),
					new Call("hold", concurrency, (group) -> group.take(0), (group) -> group.hold(FAR)),
					new Call("release", concurrency, (group) -> {
						group.hold(FAR);
						group.take(100);
					}, Group::endHold)));
	}

	@ParameterizedTest
	@MethodSource("calls")
	@DisplayName("row 72: a sweep, read or hold that stops anywhere exceeds no limit of a group, and nothing is stuck")
	void neverMoreThanAllowedAndNeverStuck(Call call) {
		int writes = 0;
		while (isStopped(call, writes)) {
			writes++;
		}
		assertThat(writes).isPositive();
	}

	@Test
	void anotherHoldCountsAfterAHoldThatStopsAnywhere() {
		for (int writes = 0; writes < 3; writes++) {
			try (TestPartition partition = TestPartition.shared()) {
				Group group = new Group(partition, 0);
				group.store = scripts.storeOf(partition).with(group.settings);
				scripts.stops(() -> group.hold(FAR), writes);

				group.hold(FAR - 1);
				group.take(100);

				assertThat(group.pending).as("delivered after a hold that stopped after %d writes", writes).isEmpty();
			}
		}
	}

	private static boolean isStopped(Call call, int writes) {
		try (TestPartition partition = TestPartition.shared()) {
			Group group = new Group(partition, call.concurrency());
			call.prepare().accept(group);
			group.store = scripts.storeOf(partition).with(group.settings);
			boolean isStopped = scripts.stops(() -> call.stopped().accept(group), writes);
			group.store = partition.store().with(group.settings);
			try {
				assertThat(Audit.invariant(partition.dump(), partition.now())).isEmpty();
				group.deliverTheRest();
			}
			catch (AssertionError fault) {
				throw new AssertionError(
						call + ", stopped after " + writes + " writes: " + fault.getMessage() + "\n" + partition.dump(),
						fault);
			}
			return isStopped;
		}
	}

	/** A group with one message an hour and a burst of three. */
	private static final class Group {

		private final TestPartition partition;

		private final int concurrency;

		private final GroupSettings settings;

		private TestStore store;

		private final List<Entry> pending = new ArrayList<>();

		private int delivered;

		private int hours;

		Group(TestPartition partition, int concurrency) {
			this.partition = partition;
			this.concurrency = concurrency;
			this.settings = new GroupSettings(0, false, false, concurrency, 100, new RateLimit(1, HOUR, BURST),
					Map.of());
			this.store = partition.store().with(this.settings);
			for (int i = 0; i < MESSAGES; i++) {
				this.store.schedule(TestMessages.message("m-" + i, DUE + i, GROUP, i));
			}
		}

		void take(int most) {
			received(this.store.moveAndTake("holder", most).read().entries());
		}

		void read() {
			received(this.store.read("holder"));
		}

		/** Gives superseded entries back. */
		private void received(List<Entry> entries) {
			for (Entry entry : entries) {
				if (entry.record() != null) {
					this.pending.add(entry);
					this.delivered++;
				}
				else {
					this.store.release(1, entry);
				}
			}
		}

		void acknowledge() {
			this.pending.forEach(this.store::acknowledge);
			this.pending.clear();
		}

		void hold(long untilMillis) {
			QueueHold hold = States.hold(GROUP, untilMillis);
			new Holds(this.store.calls()).hold(this.store.partition(), hold);
		}

		void endHold() {
			new Holds(this.store.calls()).end(this.store.partition(), GROUP);
		}

		/** Lets Redis see all buckets as if the time had passed. */
		void passHours(int passed) {
			this.hours += passed;
			this.partition.passHours(passed);
		}

		/** Ends the hold and delivers all messages: a burst, and then one an hour. */
		void deliverTheRest() {
			endHold();
			for (int n = 0; n < 4 * MESSAGES && !this.partition.dump().messages().isEmpty(); n++) {
				for (int sweep = 0; sweep < 5; sweep++) {
					take(100);
					if (this.concurrency > 0) {
						assertThat(this.pending).as("in flight").hasSizeLessThanOrEqualTo(this.concurrency);
					}
					acknowledge();
				}
				assertThat(this.delivered).as("delivered in %d hours", this.hours)
					.isLessThanOrEqualTo(BURST + this.hours);
				passHours(1);
			}
			assertThat(this.partition.dump().messages()).as("not delivered").isEmpty();
			assertThat(this.delivered).isEqualTo(MESSAGES);
		}

	}

}
