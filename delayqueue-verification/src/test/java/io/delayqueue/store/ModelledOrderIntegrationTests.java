package io.delayqueue.store;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.model.WriteOrders;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts write in the orders that the model explores. The test fails if the order of
 * a script or of the model changes.
 */
class ModelledOrderIntegrationTests {

	/** The scripts in the model, each with its transitions. */
	private static final Map<StoreScript, Set<String>> TRANSITIONS = Map.ofEntries(
			Map.entry(StoreScript.SCHEDULE, Set.of("schedule", "replace", "postpone")),
			Map.entry(StoreScript.SWEEP, Set.of("sweep", "park", "unpark")),
			Map.entry(StoreScript.ACKNOWLEDGE, Set.of("acknowledge")),
			Map.entry(StoreScript.SETTLE, Set.of("retry", "release", "dead-letter")),
			Map.entry(StoreScript.RECLAIM, Set.of("reclaim")), Map.entry(StoreScript.CANCEL, Set.of("cancel")),
			Map.entry(StoreScript.RESCHEDULE, Set.of("reschedule")), Map.entry(StoreScript.REDRIVE, Set.of("redrive")),
			Map.entry(StoreScript.DISCARD, Set.of("discard")), Map.entry(StoreScript.REPAIR, Set.of("repair")));

	/** The keys in the model. */
	private static final Set<String> KEYS = Set.of("messages", "scheduled", "ready", "entries", "failures", "dead",
			"done", "expiries", "parked");

	/**
	 * States that the model does not reach: two scripts have stopped, or a message with
	 * an expiry becomes due earlier. A redrive that edits replaces content that the model
	 * omits.
	 */
	private static final Set<String> OUT_OF_SCOPE = Set.of("redrive: dead, edited",
			"reclaim: scheduled for later as well, at the limit of crashes",
			"repair: left over in pending and scheduled", "reschedule: scheduled far, of a group, nearer");

	private static final Map<StoreScript, Set<List<String>>> MODELLED = new EnumMap<>(StoreScript.class);

	/** By scenario, for scenarios with one message, as in the model. */
	private static final List<Recorded> RECORDED = new ArrayList<>();

	/** By all scenarios. */
	private static final Map<StoreScript, Set<String>> WRITTEN = new EnumMap<>(StoreScript.class);

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@BeforeAll
	static void recordOrders() {
		Map<String, Set<List<String>>> model = WriteOrders.all();
		TRANSITIONS.forEach((script, transitions) -> {
			Set<List<String>> orders = new HashSet<>(Set.of(List.of()));
			transitions.forEach((transition) -> orders.addAll(model.get(transition)));
			MODELLED.put(script, orders);
		});
		Stream.concat(Scenarios.all(), more())
			.filter((scenario) -> TRANSITIONS.containsKey(scenario.script()))
			.forEach(ModelledOrderIntegrationTests::record);
	}

	/**
	 * Scenarios in which a repeat writes, or a key of another program is accessed too
	 * late.
	 */
	private static Stream<Scenario> more() {
		return Stream.of(
				Scenarios.of("schedule: left over in scheduled, with an expiry",
						States.withoutRecord("a", GroupScenarios.expiring(States.FAR, States.scheduled("a"))),
						(store, held) -> store.schedule(TestMessages.message("a", States.DUE, 7))),
				Scenarios.of("sweep: a parked one that was not unparked", GroupStates.parkedWithoutHead("a"),
						(store, held) -> store.with(GroupStates.STRICT).sweep()));
	}

	private static void record(Scenario scenario) {
		try (TestPartition partition = TestPartition.shared()) {
			List<Entry> held = scenario.given().prepare(partition);
			Set<String> ids = new HashSet<>(partition.dump().ids());
			scenario.when().call(scripts.storeOf(partition), held);
			List<String> written = modelled(scenario.script(), scripts.written());
			WRITTEN.computeIfAbsent(scenario.script(), (script) -> new TreeSet<>()).addAll(written);
			ids.addAll(partition.dump().ids());
			ids.remove("bystander");
			if (ids.size() == 1 && held.size() < 2) {
				RECORDED.add(new Recorded(scenario, written));
			}
		}
	}

	/**
	 * Without the writes that the model omits: other keys, ended windows, the mark of a
	 * reschedule call, and a state that is written twice.
	 */
	private static List<String> modelled(StoreScript script, List<String> written) {
		return IntStream.range(0, written.size())
			.filter((i) -> i == 0 || !written.get(i).equals(written.get(i - 1)))
			.mapToObj(written::get)
			.filter((write) -> KEYS.contains(write.substring(write.indexOf(' ') + 1)))
			.filter((write) -> !write.matches("ZREM.* done"))
			.filter((write) -> script != StoreScript.RESCHEDULE || !"ZADD done".equals(write))
			.toList();
	}

	@Test
	void theModelHasTheOrderOfEachScript() {
		assertThat(RECORDED).hasSizeGreaterThan(100)
			.filteredOn((recorded) -> !OUT_OF_SCOPE.contains(recorded.scenario.name()))
			.filteredOn((recorded) -> !MODELLED.get(recorded.scenario.script()).contains(recorded.written))
			.as("writes missing in the model")
			.isEmpty();
	}

	@Test
	void aScriptMakesEachWriteOfTheModel() {
		MODELLED.forEach((script, orders) -> {
			Set<String> missing = new TreeSet<>();
			orders.forEach(missing::addAll);
			missing.removeAll(WRITTEN.get(script));
			assertThat(missing).as("writes missing in %s", script).isEmpty();
		});
	}

	@Test
	void noTwoWritesOfTheModelAreInAnotherOrderThanOfTheScript() {
		MODELLED.forEach((script, orders) -> {
			Set<List<String>> seen = new HashSet<>();
			RECORDED.stream()
				.filter((recorded) -> recorded.scenario.script() == script)
				.forEach((recorded) -> seen.addAll(pairs(recorded.written)));
			Set<List<String>> turned = new HashSet<>();
			orders.forEach((order) -> turned.addAll(pairs(order)));
			turned.removeAll(seen);
			turned.removeIf((pair) -> !seen.contains(List.of(pair.get(1), pair.get(0))));
			assertThat(turned).as("writes of %s in another order", script).isEmpty();
		});
	}

	private static Set<List<String>> pairs(List<String> order) {
		Set<List<String>> pairs = new HashSet<>();
		for (int i = 0; i < order.size(); i++) {
			for (String later : order.subList(i + 1, order.size())) {
				pairs.add(List.of(order.get(i), later));
			}
		}
		return pairs;
	}

	private record Recorded(Scenario scenario, List<String> written) {
	}

}
