package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurrence;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.RecurringCalls.Carried;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Stop;
import io.delayqueue.store.RecurringSteps.After;
import io.delayqueue.store.RecurringSteps.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Definitions that have no further instant: each run of a script that removes them may
 * stop or be repeated, and no late call stores them again.
 */
class EndedDefinitionsIntegrationTests {

	private static final Epochs EPOCHS = Epochs.first("orders", TestStore.PARTITIONS);

	private static final Epochs NEWER = new Epochs("orders", TestStore.PARTITIONS, EPOCHS.epochs())
		.announce(1, TestStore.PARTITIONS)
		.activate();

	private static final QueueSettings SETTINGS = TestStore.settings(TestStore.PARTITIONS, Duration.ofDays(1),
			GroupSettings.NONE);

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
				end(store, read(store), last);
				end(store, read(store), last);
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
				new RecurringCalls(store.calls()).stop(store.partition(), "daily", "", Stop.PAUSE);
				DueDefinition paused = find(store);
				stopped = scripts.stops(() -> resume(scripts.storeOf(partition), paused), writes);
				assertThat(resume(store, paused)).isEqualTo(Changed.DONE);
				assertThat(resume(store, paused)).isEqualTo(Changed.DONE);
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
			end(newer.store(), read(newer.store()), Instant.ofEpochMilli(first));

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
		return new RecurringCalls(store.calls())
			.put(store.partition(), EPOCHS, SETTINGS,
					new NewDefinition("daily", "gen", 1_700_000_000_000_000L, null,
							new RecurringFields(new Recurrence(null, null, Duration.ofMinutes(10), null, null),
									MissedPolicy.LATEST, OverlapPolicy.SKIP, "", null),
							"\npayload".getBytes(StandardCharsets.UTF_8)),
					Instant.ofEpochMilli(first), true, true)
			.changed();
	}

	private static List<DueDefinition> read(TestStore store) {
		return new RecurringSteps(store.calls()).advance(store.partition(), EPOCHS, List.of(), 10, After.BEGIN).due();
	}

	/** Advances definitions whose last instant has come. */
	private static void end(TestStore store, List<DueDefinition> due, Instant last) {
		List<Step> steps = due.stream()
			.map((one) -> new Step(one, DueDefinition.NEVER,
					List.of(Occurrence.of(one.record().state().generation(), last)), 0, 0))
			.toList();
		new RecurringSteps(store.calls()).advance(store.partition(), EPOCHS, steps, 10, After.BEGIN);
	}

	private static Changed resume(TestStore store, DueDefinition paused) {
		return new RecurringCalls(store.calls()).resume(store.partition(), paused, true, null).changed();
	}

	private static DueDefinition find(TestStore store) {
		return Objects
			.requireNonNull(new RecurringCalls(store.calls()).find(store.partition(), "daily", false).definition());
	}

}
