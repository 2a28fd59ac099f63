package io.delayqueue.store;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.delayqueue.store.RecurringCalls.Stop;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.delayqueue.store.DailySchedule.advance;
import static io.delayqueue.store.DailySchedule.first;
import static io.delayqueue.store.DailySchedule.late;
import static io.delayqueue.store.DailySchedule.put;
import static io.delayqueue.store.DailySchedule.read;
import static io.delayqueue.store.DailySchedule.resume;
import static io.delayqueue.store.DailySchedule.state;
import static io.delayqueue.store.DailySchedule.stop;
import static io.delayqueue.store.DailySchedule.takeAll;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Scripts of recurring schedules that stop after each of their writes and are repeated:
 * no chain is lost, and no instant is stored twice.
 */
@Tag("slow")
class StoppedRecurringIntegrationTests {

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	/** The time of Redis at which the test begins, ms. */
	private long base;

	/** A call on a partition with a definition. */
	record Case(String name, @Nullable String group, boolean isStored, Call call) {

		@Override
		public String toString() {
			return this.name + ((this.group != null) ? " in a group" : "");
		}

	}

	@FunctionalInterface
	interface Call {

		void run(TestStore store, long now);

	}

	static Stream<Case> cases() {
		return Stream.of("", "g").flatMap((name) -> {
			String group = name.isEmpty() ? null : name;
			return Stream.of(new Case("create", group, false, (store, now) -> put(store, "gen1", group, now)),
					new Case("replace", group, true, (store, now) -> put(store, "gen2", group, now)),
					new Case("advance", group, true, (store, now) -> advance(store, now)),
					new Case("pause", group, true, (store, now) -> stop(store, Stop.PAUSE)),
					new Case("delete", group, true, (store, now) -> stop(store, Stop.DELETE)),
					new Case("resume", group, true, (store, now) -> resume(store, now)));
		});
	}

	@ParameterizedTest
	@MethodSource("cases")
	void aCallThatStopsAnywhereIsCompletedByItsRepeat(Case one) {
		Map<String, Object> ended = new TreeMap<>();
		forEachStop(one, Integer.MAX_VALUE, (partition) -> ended.putAll(state(partition)), ended::putAll);
		forEachStop(one, 0, (partition) -> {
			one.call().run(partition.store(), this.base);
			assertThat(state(partition)).isEqualTo(ended);
			one.call().run(partition.store(), this.base);
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
			TestStore store = partition.store();
			if (read(store).isDamaged()) {
				new RecurringSteps(store.calls()).mend(store.partition());
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
		Case advance = new Case("advance", null, true, (store, now) -> advance(store, now));
		forEachStop(advance, 0, (partition) -> {
			TestStore store = partition.store();
			List<String> first = takeAll(store);
			advance(store, this.base);
			first.addAll(takeAll(store));
			assertThat(first).containsOnlyOnce("daily@" + late(this.base));
		}, (state) -> {
		});
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
				if (!scripts.stops(() -> one.call().run(scripts.storeOf(partition), this.base), writes)) {
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

}
