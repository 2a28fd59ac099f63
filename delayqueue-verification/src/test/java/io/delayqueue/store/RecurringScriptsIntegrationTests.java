package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurrence;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.RecurringCalls.Carried;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Stop;
import io.delayqueue.store.RecurringSteps.Progress;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static io.delayqueue.store.DailySchedule.EPOCHS;
import static io.delayqueue.store.DailySchedule.NEWER;
import static io.delayqueue.store.DailySchedule.SETTINGS;
import static io.delayqueue.store.DailySchedule.advance;
import static io.delayqueue.store.DailySchedule.find;
import static io.delayqueue.store.DailySchedule.first;
import static io.delayqueue.store.DailySchedule.late;
import static io.delayqueue.store.DailySchedule.next;
import static io.delayqueue.store.DailySchedule.put;
import static io.delayqueue.store.DailySchedule.read;
import static io.delayqueue.store.DailySchedule.resume;
import static io.delayqueue.store.DailySchedule.state;
import static io.delayqueue.store.DailySchedule.stop;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scripts of recurring schedules: only one of two owners advances a definition, which is
 * in one partition only and in the counts of this partition.
 */
class RecurringScriptsIntegrationTests {

	@Test
	void aLateScheduleIsInTheCountsOfItsPartition() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			Snapshots snapshots = new Snapshots(store.calls());
			assertThat(snapshots.of(store.partition()).nextRecurrenceMillis()).isEqualTo(-1);
			put(store, "gen1", null, partition.now());
			assertThat(snapshots.of(store.partition()).nextRecurrenceMillis()).isGreaterThan(partition.now());
			assertThat(snapshots.of(store.partition()).recurringLateMillis()).isZero();
			partition.command("ZADD", Key.RECURRENCES, Long.toString(partition.now() - 75_000), "daily");
			assertThat(snapshots.of(store.partition()).recurringLateMillis()).isGreaterThanOrEqualTo(75_000);
			partition.command("HSET", Key.CONTROL, "draining", "1");
			assertThat(snapshots.of(store.partition()).recurringLateMillis()).isZero();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "PAUSE", "SUSPEND", "DELETE" })
	void anOccurrenceThatIsWithdrawnHasNoEntryInTheHistory(Stop stop) {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			put(store, "gen1", null, partition.now() + 3_600_000);
			partition.command("HSET", Key.CONTROL, "history", "86400000|100");
			assertThat(state(partition).get("messages")).isNotEqualTo(Set.of());
			stop(store, stop);
			assertThat(state(partition).get("messages")).isEqualTo(Set.of());
			assertThat(partition.redis().call("EXISTS", partition.key(Key.HISTORY))).isEqualTo(0L);
		}
	}

	@Test
	void ofTwoOwnersOneAdvances() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			long now = partition.now();
			put(store, "gen1", null, now);
			assertThat(advance(store, now)).containsExactly(Progress.ADVANCED);
			assertThat(advance(store, now)).containsExactly(Progress.KNOWN);
			assertThat(state(partition).get("messages"))
				.isEqualTo(Set.of("daily@" + first(now), "daily@" + late(now), "daily@" + next(now)));
		}
	}

	@ParameterizedTest
	@CsvSource({ "paused,,true", "holds,,true", "holds,g,true", "holds,other,false" })
	void aDefinitionWaitsWhileItsOccurrencesWouldNotBeDelivered(String field, @Nullable String group, boolean waits) {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			long now = partition.now();
			put(store, "gen1", "g", now);
			String end = "%016d".formatted(now + 3_600_000);
			partition.command("HSET", Key.CONTROL, field, end);
			if (field.equals("holds")) {
				partition.command("HSET", Key.HOLDS, (group != null) ? group : "", end + "by");
			}
			partition.command("ZADD", Key.RECURRENCES, Long.toString(now - 5_000), "daily");

			assertThat(read(store).isWaiting()).isEqualTo(waits);
			assertThat(read(store).due()).hasSize(waits ? 0 : 1);
			assertThat(new Snapshots(store.calls()).of(store.partition()).recurringLateMillis() > 0).isEqualTo(!waits);
			DueDefinition due = find(store);
			assertThat(advance(store, due, now)).containsExactly(waits ? Progress.WAITS : Progress.ADVANCED);
			assertThat(find(store).atMillis() == due.atMillis()).isEqualTo(waits);
		}
	}

	@Test
	void aReplacedDefinitionIsNotAdvancedByTheOldOne() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			long now = partition.now();
			put(store, "gen1", null, now);
			DueDefinition old = find(store);
			put(store, "gen2", null, now);
			Map<String, Object> before = state(partition);
			assertThat(advance(store, old, now)).containsExactly(Progress.KNOWN);
			assertThat(state(partition)).isEqualTo(before);
		}
	}

	@Test
	void aCarriedDefinitionIsInOnePartitionAndIsNotStoredAgainAfterItsRemoval() {
		try (TestPartition old = TestPartition.shared(); TestPartition newer = old.ofEpoch(1)) {
			RecurringCalls calls = new RecurringCalls(old.store().calls());
			put(old.store(), "gen1", null, old.now());
			DueDefinition due = find(old.store());
			assertThat(calls.carry(old.store().partition(), due)).isNull();
			new EpochCalls(old.store().calls()).close(old.store().partition(), NEWER);

			Carried carried = Objects.requireNonNull(calls.carry(old.store().partition(), due));
			assertThat(calls.receive(newer.store().partition(), NEWER, "daily", carried)).isTrue();
			assertThat(calls.receive(newer.store().partition(), NEWER, "daily", carried)).isTrue();
			calls.carried(old.store().partition(), due);
			assertThat(state(old).get("definition")).isNull();
			assertThat(state(newer).get("instant")).isEqualTo(Long.toString(due.atMillis()));

			stop(newer.store(), Stop.DELETE);
			assertThat(calls.receive(newer.store().partition(), NEWER, "daily", carried)).isTrue();
			assertThat(state(newer).get("definition")).isNull();
			assertThat(put(old.store(), "gen3", null, old.now())).isEqualTo(Changed.ELSEWHERE);
		}
	}

	@Test
	void aCallThatArrivesLateChangesNoDefinitionThatWasStoredMeanwhile() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			long now = partition.now();
			put(store, "gen2", null, now);
			assertThat(put(store, "gen1", null, now - 1)).isEqualTo(Changed.REPLACED);
			assertThat(find(store).record().state().generation()).isEqualTo("gen2");
			// The clock of Redis has been set back
			put(store, "gen3", null, now + 3_600_000);
			assertThat(put(store, "gen1", null, now)).isEqualTo(Changed.REPLACED);
			assertThat(find(store).record().state().generation()).isEqualTo("gen1");
		}
	}

	@Test
	void aScheduleIsNotSuspendedAfterTheLatestTime() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			long now = partition.now();
			put(store, "gen1", null, now);
			assertThat(suspend(store, now - 1)).isEqualTo(Changed.LATE);
			assertThat(find(store).record().state().suspendedMillis()).isZero();
			assertThat(suspend(store, now + 3_600_000)).isEqualTo(Changed.DONE);
			// A repeat gets the same answer, however late it is
			assertThat(suspend(store, now - 1)).isEqualTo(Changed.DONE);
		}
	}

	private static Changed suspend(TestStore store, long latestMillis) {
		return new RecurringCalls(store.calls()).stop(store.partition(), "daily", "gen1", Stop.SUSPEND, latestMillis)
			.changed();
	}

	@Test
	void aDefinitionThatContinuesInAClosedPartitionStoresItsNextInstantWhenItIsDue() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			long now = partition.now();
			put(store, "gen1", null, now);
			new EpochCalls(store.calls()).close(store.partition(), NEWER);
			stop(store, Stop.PAUSE);
			resume(store, now);
			assertThat(partition.dump().messages()).isEmpty();
			assertThat(find(store).atMillis()).isEqualTo(first(now).toEpochMilli());
			assertThat(find(store).record().state().last()).isNull();
		}
	}

	@Test
	void aDefinitionCostsAtMost500BytesBesideItsPayload() {
		try (TestPartition partition = TestPartition.shared()) {
			long before = usage(partition);
			for (int n = 0; n < 1000; n++) {
				new RecurringCalls(partition.store().calls()).put(partition.store().partition(), EPOCHS, SETTINGS,
						new NewDefinition("customer-report-" + n, "generation" + n, 1_700_000_000_000_000L,
								1_700_000_000_000_000L, null,
								new RecurringFields(new Recurrence("0 0 9 * * MON-FRI", ZoneId.of("America/New_York"),
										null, null, null), MissedPolicy.ALL, OverlapPolicy.SKIP, "", "billing-service"),
								"\n".getBytes(StandardCharsets.UTF_8)),
						Instant.ofEpochMilli(partition.now() + 3_600_000), true, true);
			}
			assertThat((usage(partition) - before) / 1000).isBetween(100L, 500L);
		}
	}

	private static long usage(TestPartition partition) {
		return Stream.of(Key.RECURRING, Key.RECURRENCES)
			.mapToLong((key) -> partition.redis()
				.call("MEMORY", "USAGE", partition.key(key), "SAMPLES", "0") instanceof Long bytes ? bytes : 0)
			.sum();
	}

}
