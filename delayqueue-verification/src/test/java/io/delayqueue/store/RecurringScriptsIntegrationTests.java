package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurrence;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.RecurringCalls.Carried;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Stop;
import io.delayqueue.store.RecurringSteps.After;
import io.delayqueue.store.RecurringSteps.Progress;
import io.delayqueue.store.RecurringSteps.Step;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scripts of recurring schedules that are repeated, run twice at once, or stop after each
 * of their writes: no chain is lost, and no instant is stored twice.
 */
class RecurringScriptsIntegrationTests {

	private static final Epochs EPOCHS = Epochs.first("orders", TestStore.PARTITIONS);

	private static final Epochs NEWER = new Epochs("orders", TestStore.PARTITIONS, EPOCHS.epochs())
		.announce(1, TestStore.PARTITIONS)
		.activate();

	private static final QueueSettings SETTINGS = TestStore.settings(TestStore.PARTITIONS, Duration.ofDays(1),
			GroupSettings.NONE);

	/** The time of Redis at which the test begins, ms. */
	private long base;

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	/** A call on a partition with a definition. */
	record Case(String name, @Nullable String group, boolean isStored, Call call) {

		@Override
		public String toString() {
			return this.name + ((this.group != null) ? " in a group" : "");
		}

	}

	@FunctionalInterface
	interface Call {

		void run(RecurringScriptsIntegrationTests test, TestStore store, long now);

	}

	static Stream<Case> cases() {
		return Stream.of("", "g").flatMap((name) -> {
			String group = name.isEmpty() ? null : name;
			return Stream.of(
					new Case("create", group, false, (test, store, now) -> test.put(store, "gen1", group, now)),
					new Case("replace", group, true, (test, store, now) -> test.put(store, "gen2", group, now)),
					new Case("advance", group, true, (test, store, now) -> test.advance(store, now)),
					new Case("pause", group, true, (test, store, now) -> test.stop(store, Stop.PAUSE)),
					new Case("delete", group, true, (test, store, now) -> test.stop(store, Stop.DELETE)),
					new Case("resume", group, true, (test, store, now) -> test.resume(store, now)));
		});
	}

	@ParameterizedTest
	@MethodSource("cases")
	void aCallThatStopsAnywhereIsCompletedByItsRepeat(Case one) {
		Map<String, Object> ended = new TreeMap<>();
		forEachStop(one, Integer.MAX_VALUE, (partition) -> ended.putAll(state(partition)), ended::putAll);
		forEachStop(one, 0, (partition) -> {
			one.call().run(this, partition.store(), this.base);
			assertThat(state(partition)).isEqualTo(ended);
			one.call().run(this, partition.store(), this.base);
			assertThat(state(partition)).isEqualTo(ended);
		}, (state) -> assertThat(state).isEqualTo(ended));
	}

	@ParameterizedTest
	@MethodSource("cases")
	void aDefinitionWhoseCallStoppedKeepsItsInstantOrIsStopped(Case one) {
		if (!one.isStored()) {
			return;
		}
		forEachStop(one, 0, (partition) -> {
			RecurringSteps steps = new RecurringSteps(partition.store().calls());
			if (steps.advance(partition.store().partition(), EPOCHS, List.of(), 10, After.BEGIN).isDamaged()) {
				steps.mend(partition.store().partition());
			}
			Map<String, Object> state = state(partition);
			String definition = (String) state.get("definition");
			if (definition != null) {
				boolean isStopped = !definition.split(" ", -1)[3].equals("0");
				assertThat(state.get("instant")).isNotEqualTo("null");
				assertThat(isStopped || !state.get("instant").equals("inf")).isTrue();
			}
		}, (state) -> {
		});
	}

	@Test
	void anInstantThatHasEndedSinceTheStopIsNotStoredAgain() {
		Case advance = new Case("advance", null, true, (test, store, now) -> test.advance(store, now));
		forEachStop(advance, 0, (partition) -> {
			TestStore store = partition.store();
			List<String> first = takeAll(store);
			advance(store, this.base);
			first.addAll(takeAll(store));
			assertThat(first).containsOnlyOnce("daily@" + late(this.base));
		}, (state) -> {
		});
	}

	private static List<String> takeAll(TestStore store) {
		List<String> ids = new ArrayList<>();
		for (Entry entry : store.take("holder")) {
			if (store.acknowledge(entry).contains(Settled.COUNTED)) {
				ids.add(entry.id());
			}
		}
		return ids;
	}

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
			assertThat(state(partition).get("messages")).isEqualTo(
					Set.of("daily@" + first(now), "daily@" + late(now), "daily@" + Instant.ofEpochMilli(next(now))));
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
						new NewDefinition("customer-report-" + n, "generation" + n, 1_700_000_000_000_000L, null,
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

	/** Stops a call after each of its writes, beginning with a number of them. */
	private void forEachStop(Case one, int from, Consumer<TestPartition> check,
			Consumer<Map<String, Object>> whenComplete) {
		if (this.base == 0) {
			try (TestPartition partition = TestPartition.shared()) {
				this.base = partition.now();
			}
		}
		for (int writes = from;; writes++) {
			try (TestPartition partition = TestPartition.shared()) {
				if (one.isStored()) {
					put(partition.store(), "gen1", one.group(), this.base);
				}
				if (one.name().equals("resume")) {
					stop(partition.store(), Stop.PAUSE);
				}
				if (!scripts.stops(() -> one.call().run(this, scripts.storeOf(partition), this.base), writes)) {
					whenComplete.accept(state(partition));
					return;
				}
				try {
					check.accept(partition);
				}
				catch (AssertionError fault) {
					throw new AssertionError("stopped after " + writes + " writes: " + fault.getMessage(), fault);
				}
			}
		}
	}

	/** What matters: without times of Redis. */
	private static Map<String, Object> state(TestPartition partition) {
		Map<String, Object> state = new TreeMap<>();
		PartitionDump dump = partition.dump();
		state.put("messages", Set.copyOf(dump.messages().keySet()));
		state.put("scheduled", dump.scheduled().keySet().toString());
		state.put("instant", String.valueOf(partition.redis().call("ZSCORE", partition.key(Key.RECURRENCES), "daily")));
		Object definition = partition.redis().call("HGET", partition.key(Key.RECURRING), "daily");
		state.put("groups", dump.toString().contains("g\0"));
		if (definition != null) {
			state.put("definition", definition.toString().replaceAll("^(1 \\S+ \\d+) [1-9]\\d*", "$1 paused"));
		}
		return state;
	}

	private static Instant first(long now) {
		return Instant.ofEpochMilli(now + 600_000);
	}

	private static Instant late(long now) {
		return Instant.ofEpochMilli(now - 5_000);
	}

	private static long next(long now) {
		return now + 1_200_000;
	}

	private Changed put(TestStore store, String generation, @Nullable String group, long now) {
		return new RecurringCalls(store.calls())
			.put(store.partition(), EPOCHS, SETTINGS, new NewDefinition("daily", generation, now * 1000, group,
					new RecurringFields(new Recurrence(null, null,
							Duration.ofMinutes(generation.equals("gen1") ? 10 : 11), null, null), MissedPolicy.LATEST,
							OverlapPolicy.ALLOW, "+60000", null),
					"\npayload".getBytes(StandardCharsets.UTF_8)), first(now), true, true)
			.changed();
	}

	/** Advances the definition as if its instant had come, with a late occurrence. */
	private List<Progress> advance(TestStore store, long now) {
		return advance(store, new DueDefinition("daily", first(now).toEpochMilli(), find(store).record()), now);
	}

	private static List<Progress> advance(TestStore store, DueDefinition due, long now) {
		String generation = due.record().state().generation();
		return new RecurringSteps(store.calls()).advance(store.partition(), EPOCHS,
				List.of(new Step(due, next(now),
						List.of(Occurrence.of(generation, late(now)),
								Occurrence.of(generation, Instant.ofEpochMilli(next(now)))),
						0, 0)),
				10, After.BEGIN)
			.progress();
	}

	private void stop(TestStore store, Stop stop) {
		new RecurringCalls(store.calls()).stop(store.partition(), "daily", "", stop);
	}

	private void resume(TestStore store, long now) {
		new RecurringCalls(store.calls()).resume(store.partition(), find(store), true, first(now));
	}

	private static DueDefinition find(TestStore store) {
		return Objects
			.requireNonNull(new RecurringCalls(store.calls()).find(store.partition(), "daily", false).definition());
	}

}
