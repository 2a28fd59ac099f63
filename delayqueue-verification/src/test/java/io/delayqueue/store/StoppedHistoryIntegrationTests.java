package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.store.History.Ended;
import io.delayqueue.store.ReadyMessages.Entry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A script that ends messages stops after each of its writes, and the call is repeated:
 * no end is written twice.
 */
@Tag("slow")
class StoppedHistoryIntegrationTests {

	private static final String WEEK = Duration.ofDays(7).toMillis() + "|100000";

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	@ParameterizedTest
	@MethodSource
	void noEndIsWrittenTwice(Scenario scenario) {
		List<String> ends = ends(scenario, -1);
		for (int writes = 0;; writes++) {
			List<String> stopped = ends(scenario, writes);
			if (stopped == null) {
				return;
			}
			List<String> more = new ArrayList<>(stopped);
			ends.forEach(more::remove);
			assertThat(more).as("%s, stopped after %d writes", scenario, writes).isEmpty();
		}
	}

	static Stream<Scenario> noEndIsWrittenTwice() {
		return Scenarios.all()
			.filter((scenario) -> scenario.script().keys().contains(Key.ENDS) && scenario.script() != StoreScript.FIND);
	}

	/** The ends after a stopped run and a complete one; null if no run stops there. */
	private static List<String> ends(Scenario scenario, int writes) {
		try (TestPartition partition = TestPartition.shared()) {
			partition.command("HSET", Key.CONTROL, "history", WEEK);
			List<Entry> held = scenario.given().prepare(partition);
			if (writes >= 0 && !scripts.stops(() -> scenario.when().call(scripts.storeOf(partition), held), writes)) {
				return null;
			}
			scenario.when().call(partition.store(), held);
			List<Ended> ends = partition.store().ends();
			assertThat(ends).extracting(Ended::position).doesNotHaveDuplicates();
			return ends.stream().map((ended) -> ended.id() + " " + ended.end().how() + " " + ended.attempts()).toList();
		}
	}

}
