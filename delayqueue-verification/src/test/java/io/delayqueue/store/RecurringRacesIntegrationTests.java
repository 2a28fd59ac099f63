package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.OverlapPolicy;
import io.delayqueue.store.RecurringCalls.Answer;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Stop;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.DailySchedule.NEWER;
import static io.delayqueue.store.DailySchedule.find;
import static io.delayqueue.store.DailySchedule.findIfStored;
import static io.delayqueue.store.DailySchedule.read;
import static io.delayqueue.store.DailySchedule.stop;
import static io.delayqueue.store.DailySchedule.takeAll;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Calls on recurring schedules that are late, are repeated late or stop half-way, beside
 * occurrences that end meanwhile: each instant has one occurrence.
 */
@Tag("slow")
class RecurringRacesIntegrationTests {

	private static final long FIRST = Instant.parse("2100-01-01T00:00:00Z").toEpochMilli();

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@ParameterizedTest
	@DisplayName("row 76: a replacement that stops between any two writes and is repeated leaves one occurrence")
	@ValueSource(strings = { "", "g" })
	void aRepeatedReplacementRemovesTheOldOccurrence(String name) {
		String group = name.isEmpty() ? null : name;
		forEachStop((partition, store) -> put(store, "gen1", group, FIRST),
				(partition, store) -> put(store, "gen2", group, FIRST + 60_000), (partition, store) -> {
					put(store, "gen2", group, FIRST + 60_000);
					assertThat(partition.dump().messages()).hasSize(1);
					assertThat(partition.dump().scheduled().keySet()).hasSize(1);
				});
	}

	@Test
	void aPauseAfterAReplacementThatStoppedRemovesTheOldOccurrence() {
		forEachStop((partition, store) -> put(store, "gen1", null, FIRST),
				(partition, store) -> put(store, "gen2", null, FIRST + 60_000), (partition, store) -> {
					stop(store, Stop.PAUSE);
					assertThat(partition.dump().messages()).isEmpty();
				});
	}

	@ParameterizedTest
	@ValueSource(strings = { "PAUSE", "SUSPEND", "DELETE", "REPLACE" })
	void anAdvanceThatStoppedLeavesNoOccurrenceOfAStoppedSchedule(String change) {
		Instant next = Instant.ofEpochMilli(FIRST + 600_000);
		forEachStop((partition, store) -> put(store, "gen1", null, FIRST),
				(partition, store) -> advance(store, FIRST, next), (partition, store) -> {
					if (change.equals("REPLACE")) {
						put(store, "gen2", null, FIRST + 60_000);
					}
					else {
						stop(store, Stop.valueOf(change));
					}
					assertThat(partition.dump().messages().keySet()).doesNotContain("daily@" + next);
				});
	}

	@ParameterizedTest
	@ValueSource(strings = { "PAUSE", "SUSPEND" })
	void aResumeThatStoppedLeavesNoOccurrenceOfAStoppedSchedule(String stop) {
		Instant next = Instant.ofEpochMilli(FIRST);
		forEachStop((partition, store) -> {
			put(store, "gen1", null, FIRST);
			stop(store, Stop.valueOf(stop));
		}, (partition, store) -> new RecurringCalls(store.calls()).resume(store.partition(), find(store),
				stop.equals("PAUSE"), next), (partition, store) -> {
					boolean isStopped = find(store).record().state().isStopped();
					assertThat(partition.dump().messages().isEmpty() || !isStopped).isTrue();
					stop(store, Stop.PAUSE);
					assertThat(partition.dump().messages()).isEmpty();
				});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aPutThatStoppedLeavesNoInstantOfAnotherDefinition(boolean replaces) {
		forEachStop((partition, store) -> {
			if (replaces) {
				put(store, "gen1", null, FIRST);
			}
		}, (partition, store) -> put(store, "gen2", null, FIRST + 60_000), (partition, store) -> {
			read(store);
			new RecurringSteps(store.calls()).mend(store.partition());
			DueDefinition found = findIfStored(store);
			assertThat(partition.redis().call("ZCARD", partition.key(Key.RECURRENCES)))
				.isEqualTo((found != null) ? 1L : 0L);
			if (found != null) {
				boolean isOld = found.record().state().generation().equals("gen1");
				assertThat(found.atMillis()).isIn(0L, isOld ? FIRST : FIRST + 60_000);
			}
		});
	}

	@Test
	void aRepeatedPutMarksTheQueueAgain() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			assertThat(answer(store, "gen1", null, FIRST).isFirst()).isTrue();
			assertThat(answer(store, "gen1", null, FIRST).isFirst()).isTrue();
			assertThat(answer(store, "gen2", null, FIRST).isFirst()).isFalse();
		}
	}

	@Test
	void aReplacementDoesNotStoreAnInstantThatHasPassed() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			put(store, "gen1", null, FIRST);
			assertThat(put(store, "gen2", null, partition.now())).isEqualTo(Changed.LATE);
			assertThat(find(store).record().state().generation()).isEqualTo("gen1");
			assertThat(put(store, "gen2", null, FIRST + 60_000)).isEqualTo(Changed.REPLACED);
		}
	}

	@Test
	void aLateRepeatRestoresNoDefinition() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			long first = FIRST;
			put(store, "gen1", null, first);
			put(store, "gen2", null, first);
			assertThat(put(store, "gen1", null, first)).isEqualTo(Changed.REPLACED);
			assertThat(find(store).record().state().generation()).isEqualTo("gen2");
			stop(store, Stop.DELETE);
			put(store, "gen2", null, first);
			assertThat(partition.dump().messages()).isEmpty();
			assertThat(findIfStored(store)).isNull();
		}
	}

	@Test
	void aLateRepeatMovesNoInstantBack() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			put(store, "gen1", null, FIRST);
			partition.command("ZADD", Key.RECURRENCES, Long.toString(FIRST + 600_000), "daily");
			partition.command("DEL", Key.MESSAGES);
			assertThat(put(store, "gen1", null, FIRST)).isEqualTo(Changed.CREATED);
			assertThat(find(store).atMillis()).isEqualTo(FIRST + 600_000);
			assertThat(partition.dump().messages()).isEmpty();
		}
	}

	@Test
	void aRepeatedResumeDoesNotStoreAnEndedOccurrenceAgain() {
		List<String> ended = new ArrayList<>();
		Instant[] next = new Instant[1];
		forEachStop((partition, store) -> {
			put(store, "gen1", null, FIRST);
			stop(store, Stop.PAUSE);
			next[0] = Instant.ofEpochMilli(partition.now() - 1);
			ended.clear();
		}, (partition, store) -> resume(store, next[0]), (partition, store) -> {
			ended.addAll(takeAll(store));
			resume(store, next[0]);
			ended.addAll(takeAll(store));
			assertThat(ended).containsOnlyOnce("daily@" + next[0]);
		});
	}

	@Test
	void aRemovalThatStopsLeavesNoInstantWithoutADefinition() {
		forEachStop((partition, store) -> put(store, "gen1", null, FIRST),
				(partition, store) -> stop(store, Stop.DELETE), (partition, store) -> {
					new RecurringSteps(store.calls()).mend(store.partition());
					read(store);
					assertThat(read(store).isDamaged()).isFalse();
				});
	}

	@ParameterizedTest
	@ValueSource(strings = { "put", "advance", "advance to an instant that has come" })
	void aCallThatStoppedBeforeItsPartitionClosedCarriesNoInstantThatIsStored(String call) {
		Instant[] instant = { Instant.ofEpochMilli(FIRST) };
		forEachStop((partition, store) -> {
			if (!call.equals("put")) {
				put(store, "gen1", null, FIRST);
				instant[0] = Instant.ofEpochMilli(call.equals("advance") ? FIRST + 600_000 : partition.now() - 1);
			}
		}, (partition, store) -> {
			if (call.equals("put")) {
				put(store, "gen1", null, FIRST);
			}
			else {
				advance(store, FIRST, instant[0]);
			}
		}, (partition, store) -> {
			List<String> ended = takeAll(store);
			new EpochCalls(store.calls()).close(store.partition(), NEWER);
			RecurringCalls calls = new RecurringCalls(store.calls());
			DueDefinition due = findIfStored(store);
			if (due != null && !instant[0].equals(due.record().state().last())) {
				String id = "daily@" + instant[0];
				boolean isStored = partition.dump().messages().containsKey(id) || ended.contains(id);
				assertThat(calls.carry(store.partition(), due) == null).isEqualTo(isStored);
				assertThat(isStored ? find(store).record().state().last() : instant[0]).isEqualTo(instant[0]);
				assertThat(isStored ? find(store).atMillis() : instant[0].toEpochMilli())
					.isEqualTo(instant[0].toEpochMilli());
			}
		});
	}

	@Test
	void aDefinitionThatCannotBeReadHidesNoOtherOnes() {
		try (TestPartition partition = TestPartition.shared()) {
			TestStore store = partition.store();
			put(store, "gen1", null, FIRST);
			partition.command("HSET", Key.RECURRING, "lost",
					"1 gen2 1 0 0 - 0 0 0 0 1\n\n{\"cron\":\"0 0 9 * * *\",\"zone\":\"Europe/Atlantis\"}\n\n");
			RecurringCalls calls = new RecurringCalls(store.calls());
			assertThat(calls.page(store.partition(), "0", 10).definitions()).extracting(DueDefinition::key)
				.isEqualTo(List.of("daily"));
			assertThat(calls.nowMicros(store.partition())).isPositive();
		}
	}

	@FunctionalInterface
	private interface Step {

		void run(TestPartition partition, TestStore store);

	}

	/** Stops a call after each of its writes, and then checks. */
	private static void forEachStop(Step before, Step call, Step check) {
		for (int writes = 0;; writes++) {
			try (TestPartition partition = TestPartition.shared()) {
				before.run(partition, partition.store());
				boolean stopped = scripts.stops(() -> call.run(partition, scripts.storeOf(partition)), writes);
				try {
					check.run(partition, partition.store());
				}
				catch (AssertionError fault) {
					throw new AssertionError("stopped after " + writes + " writes: " + fault.getMessage(), fault);
				}
				if (!stopped) {
					return;
				}
			}
		}
	}

	private static Changed put(TestStore store, String generation, @Nullable String group, long first) {
		return answer(store, generation, group, first).changed();
	}

	private static Answer answer(TestStore store, String generation, @Nullable String group, long first) {
		return DailySchedule.put(store,
				DailySchedule.definition(generation, 1_700_000_000_000_000L, group, OverlapPolicy.ALLOW, ""),
				Instant.ofEpochMilli(first));
	}

	/** Advances the definition as if an instant had come. */
	private static void advance(TestStore store, long atMillis, Instant next) {
		DueDefinition due = new DueDefinition("daily", atMillis, find(store).record());
		Occurrence occurrence = Occurrence.of(due.record().state().generation(), next);
		DailySchedule.advance(store,
				List.of(new RecurringSteps.Step(due, next.toEpochMilli(), List.of(occurrence), 0, 0)));
	}

	private static void resume(TestStore store, Instant next) {
		DailySchedule.resume(store, find(store), next);
	}

}
