package io.delayqueue.store;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.MessageState;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Another program uses one of this library's keys for other data: a call that needs the
 * key writes nothing, and its error message says what to change.
 */
@Tag("slow")
class ForeignKeyIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	@ParameterizedTest
	@MethodSource
	void nothingIsWritten(Scenario scenario, Key foreign) {
		List<Entry> held = scenario.given().prepare(this.partition);
		this.partition.command("DEL", foreign);
		this.partition.command("SET", foreign, "of another program");
		PartitionDump before = this.partition.dump();
		StoreException refused = catchThrowableOfType(StoreException.class,
				() -> scenario.when().call(this.partition.store(), held));
		assertThat(this.partition.dump()).isEqualTo(before);
		if (foreign == Key.GROUPED && scenario.script() == StoreScript.SWEEP
				&& before.control().containsKey("paused")) {
			// A paused partition delivers no group
			assertThat(refused).isNull();
			return;
		}
		assertThat(refused).as("%s, %s", scenario, foreign).isNotNull();
		assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
		assertThat(refused).hasMessageContaining("'" + this.partition.key(foreign) + "'")
			.hasMessageContaining("holds a string but must be a " + foreign.type())
			.hasMessageContaining("delayqueue.key-prefix");
	}

	/**
	 * Each scenario with a key, and each key with each kind of scenario.
	 */
	static Stream<Arguments> nothingIsWritten() {
		Map<Scenario, Kind> kinds = new LinkedHashMap<>();
		Scenarios.withReads().forEach((scenario) -> kinds.put(scenario, Kind.of(scenario)));
		Map<Kind, Set<Key>> met = new HashMap<>();
		List<Arguments> cases = new ArrayList<>();
		kinds.forEach((scenario, kind) -> {
			List<Key> keys = keys(kind);
			Set<Key> before = met.computeIfAbsent(kind, (first) -> EnumSet.noneOf(Key.class));
			Key next = keys.stream()
				.filter((key) -> !before.contains(key))
				.findFirst()
				.orElse(keys.get(cases.size() % keys.size()));
			before.add(next);
			cases.add(Arguments.of(scenario, next));
		});
		kinds.forEach((scenario, kind) -> keys(kind).stream()
			.filter(met.get(kind)::add)
			.forEach((key) -> cases.add(Arguments.of(scenario, key))));
		return cases.stream();
	}

	/**
	 * Scenarios for which a script takes the same branches until it has read its keys.
	 */
	private record Kind(StoreScript script, boolean hasGroups, boolean makesIds, boolean isPaused,
			boolean isDeadLetter) {

		static Kind of(Scenario scenario) {
			return new Kind(scenario.script(), scenario.hasGroups(), scenario.name().contains("generated ids"),
					scenario.name().contains("paused"), scenario.name().startsWith("settle: dead letter"));
		}

	}

	private static List<Key> keys(Kind kind) {
		return kind.script()
			.keys()
			.stream()
			.filter((key) -> kind.hasGroups() || !isOnlyOfSome(kind, key))
			.filter((key) -> kind.script() != StoreScript.SETTLE || key != Key.DEAD || kind.isDeadLetter())
			// This script neither reads nor writes the quota
			.filter((key) -> kind.script() != StoreScript.SWEEP || key != Key.GROUPS)
			.filter((key) -> !isOnlyOfHolds(kind.script(), key))
			// The script uses the key only while a group is throttled
			.filter((key) -> key != Key.THROTTLED && key != Key.RATES)
			.filter((key) -> !isOnlyOfHistories(key))
			.toList();
	}

	/** Whether scripts use the key only if the queue keeps a history. */
	private static boolean isOnlyOfHistories(Key key) {
		return key == Key.HISTORY || key == Key.ENDS;
	}

	/** Whether a script uses the key only while something is held. */
	private static boolean isOnlyOfHolds(StoreScript script, Key key) {
		return switch (script) {
			case SWEEP -> key == Key.HOLDS;
			case SNAPSHOT -> key == Key.HOLDS || key == Key.RECURRING;
			case READ -> key == Key.HOLDS || key == Key.GROUPED;
			default -> false;
		};
	}

	/** Whether only messages with a group or an expiry use the key. */
	private static boolean isOnlyOfSome(Kind kind, Key key) {
		return switch (key) {
			case EXPIRIES, GROUPED, GROUPS, ACTIVE, PARKED -> true;
			// The key to which unparked messages go
			case SCHEDULED -> kind.script() == StoreScript.ACKNOWLEDGE || kind.isDeadLetter();
			default -> false;
		};
	}

	@ParameterizedTest
	@MethodSource
	void readOnlyScriptsNameTheKeyToo(StoreScript script, Key foreign) {
		States.dead().prepare(this.partition);
		TestStore store = this.partition.store().with(new GroupSettings(0, false, true, 0, null, null, Map.of()));
		store.schedule(TestMessages.message("b", States.DUE, "g", 2), TestMessages.message("c", States.DUE, "g", 3));
		store.deadLetter(store.take("holder").get(1), "it broke");
		this.partition.command("DEL", foreign);
		this.partition.command("SET", foreign, "of another program");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> run(script, this.partition.store()))
			.withMessageContaining("'" + this.partition.key(foreign) + "'")
			.withMessageContaining("holds a string but must be a " + foreign.type());
	}

	static Stream<Arguments> readOnlyScriptsNameTheKeyToo() {
		return Stream
			.of(StoreScript.FIND, StoreScript.SNAPSHOT, StoreScript.PAGE, StoreScript.READY_PAGE,
					StoreScript.GROUP_PAGE, StoreScript.CONSUMERS, StoreScript.AUDIT, StoreScript.FIND_MISPLACED,
					StoreScript.RENEW_ALL_LEASES, StoreScript.REMOVE_CONSUMERS)
			.flatMap((script) -> script.keys()
				.stream()
				.filter((key) -> !isOnlyOfHolds(script, key) && !isOnlyOfHistories(key))
				// The script uses the key only after a queue has had recurring schedules
				.filter((key) -> key != Key.RECURRENCES)
				.map((key) -> Arguments.of(script, key)));
	}

	private static void run(StoreScript script, TestStore store) {
		switch (script) {
			case FIND -> {
				store.find(TestMessages.key("a"));
				store.find(TestMessages.key("b"));
			}
			case SNAPSHOT -> store.snapshots().of(store.partition());
			case PAGE -> {
				store.list(MessageState.DEAD);
				store.list(MessageState.SCHEDULED);
			}
			case READY_PAGE -> store.list(MessageState.PENDING);
			case GROUP_PAGE -> {
				store.groups().list(store.partition(), "g", null, 10);
				store.list(MessageState.PARKED);
			}
			case CONSUMERS -> store.consumers().of(store.partition());
			case AUDIT -> store.audit();
			case FIND_MISPLACED -> store.repair();
			case RENEW_ALL_LEASES -> store.leases().renewAll(store.partition());
			case REMOVE_CONSUMERS -> store.leases().removeConsumers(store.partition(), "holder");
			default -> throw new IllegalArgumentException(script + " writes");
		}
	}

}
