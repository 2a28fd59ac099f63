package io.delayqueue.store;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.delayqueue.OverlapPolicy;
import io.delayqueue.store.RecurringCalls.Carried;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Stop;
import io.delayqueue.store.RecurringSteps.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.store.DailySchedule.NEWER;
import static io.delayqueue.store.DailySchedule.advance;
import static io.delayqueue.store.DailySchedule.find;
import static io.delayqueue.store.DailySchedule.read;
import static io.delayqueue.store.DailySchedule.resume;
import static io.delayqueue.store.DailySchedule.stop;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Definitions that have no further instant: each run of a script that removes them may
 * stop or be repeated, and no late call stores them again.
 */
class EndedDefinitionsIntegrationTests {

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@Test
	void anAdvanceThatStopsAtTheLastInstantIsCompletedByTheNextOne() {
		boolean stopped = true;
		for (int writes = 0; stopped; writes++) {
			try (TestPartition partition = TestPartition.shared()) {
				TestStore store = partition.store();
				Instant last = Instant.ofEpochMilli(partition.now() - 1000);
				put(store, partition.now() + 600_000);
				partition.command("ZADD", Key.RECURRENCES, Long.toString(last.toEpochMilli()), "daily");
				DueDefinition due = new DueDefinition("daily", last.toEpochMilli(), find(store).record());
				stopped = scripts.stops(() -> end(scripts.storeOf(partition), List.of(due), last), writes);
				end(store, read(store).due(), last);
				end(store, read(store).due(), last);
				assertThat(partition.dump().messages()).as("after %s writes", writes).containsOnlyKeys("daily@" + last);
				assertThat(rest(partition)).as("after %s writes", writes).isZero();
			}
		}
	}

	@Test
	void aResumptionThatStopsAfterTheEndIsCompletedByItsRepeat() {
		boolean stopped = true;
		for (int writes = 0; stopped; writes++) {
			try (TestPartition partition = TestPartition.shared()) {
				TestStore store = partition.store();
				put(store, partition.now() + 600_000);
				stop(store, Stop.PAUSE);
				DueDefinition paused = find(store);
				stopped = scripts.stops(() -> resume(scripts.storeOf(partition), paused, null), writes);
				assertThat(resume(store, paused, null).changed()).isEqualTo(Changed.DONE);
				assertThat(resume(store, paused, null).changed()).isEqualTo(Changed.DONE);
				assertThat(partition.dump().messages()).isEmpty();
				assertThat(rest(partition)).as("after %s writes", writes).isZero();
			}
		}
	}

	@Test
	void noLateCallStoresADefinitionThatHasEnded() {
		try (TestPartition old = TestPartition.shared(); TestPartition newer = old.ofEpoch(1)) {
			RecurringCalls calls = new RecurringCalls(old.store().calls());
			long first = old.now() + 600_000;
			assertThat(put(old.store(), first)).isEqualTo(Changed.CREATED);
			DueDefinition due = find(old.store());
			old.command("ZADD", Key.RECURRENCES, Long.toString(old.now()), "daily");
			new EpochCalls(old.store().calls()).close(old.store().partition(), NEWER);
			Carried carried = Objects.requireNonNull(calls.carry(old.store().partition(), due));
			calls.receive(newer.store().partition(), NEWER, "daily", carried);
			end(newer.store(), read(newer.store()).due(), Instant.ofEpochMilli(first));

			assertThat(calls.receive(newer.store().partition(), NEWER, "daily", carried)).isTrue();
			assertThat(put(newer.store(), first)).isEqualTo(Changed.REPLACED);

			assertThat(rest(newer)).isZero();
		}
	}

	/** The number of definitions and of instants. */
	private static long rest(TestPartition partition) {
		return List.of("HLEN " + partition.key(Key.RECURRING), "ZCARD " + partition.key(Key.RECURRENCES))
			.stream()
			.map((command) -> (Long) partition.redis().call(command.split(" ")))
			.mapToLong(Objects::requireNonNull)
			.sum();
	}

	private static Changed put(TestStore store, long first) {
		return DailySchedule
			.put(store, DailySchedule.definition("gen1", 1_700_000_000_000_000L, null, OverlapPolicy.SKIP, ""),
					Instant.ofEpochMilli(first))
			.changed();
	}

	/** Advances definitions whose last instant has come. */
	private static void end(TestStore store, List<DueDefinition> due, Instant last) {
		List<Step> steps = due.stream()
			.map((one) -> new Step(one, DueDefinition.NEVER,
					List.of(Occurrence.of(one.record().state().generation(), last)), 0, 0))
			.toList();
		advance(store, steps);
	}

}
