package io.delayqueue.store;

import java.util.EnumSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A driver may send a call again by itself when its answer does not come: the second run
 * changes nothing and says the same.
 */
class RepeatedCallIntegrationTests {

	private static final Set<StoreScript> TAKES_ALL = EnumSet.of(StoreScript.SWEEP, StoreScript.RECLAIM,
			StoreScript.REPAIR);

	private static final Set<Stored> STORED = EnumSet.of(Stored.CREATED, Stored.REPLACED, Stored.POSTPONED,
			Stored.ENDED);

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	@ParameterizedTest
	@MethodSource("io.delayqueue.store.Scenarios#all")
	void theSecondRunChangesNothing(Scenario scenario) {
		List<Entry> held = scenario.given().prepare(this.partition);
		Object answer = scenario.when().call(this.partition.store(), held);
		PartitionDump once = this.partition.dump();
		Object again = scenario.when().call(this.partition.store(), held);
		assertThat(this.partition.dump()).isEqualTo(once);
		assertSame(scenario, answer, again);
	}

	@ParameterizedTest
	@MethodSource("io.delayqueue.store.Scenarios#all")
	void theFirstRunLeavesOrder(Scenario scenario) {
		List<Entry> held = scenario.given().prepare(this.partition);
		boolean startsInOrder = faults(this.partition.dump()).isEmpty();
		scenario.when().call(this.partition.store(), held);
		PartitionDump dump = this.partition.dump();
		assertThat(startsInOrder ? faults(dump) : Audit.invariant(dump, this.partition.now())).isEmpty();
	}

	private List<String> faults(PartitionDump dump) {
		return Audit.order(dump, this.partition.now(), dump.stream().pending().keySet());
	}

	/** The answer to a repeat does not name what the first run has dropped. */
	private static Object ofARepeat(Object answer) {
		if (!(answer instanceof List<?> answers)) {
			return answer;
		}
		return answers.stream()
			.map((one) -> (one instanceof Answer schedule && STORED.contains(schedule.stored()))
					? new Answer((schedule.stored() == Stored.ENDED) ? Stored.CREATED : schedule.stored(),
							schedule.dueMillis(), List.of())
					: one)
			.toList();
	}

	/**
	 * A settlement that counted cannot count twice; what takes all finds nothing left.
	 */
	private static void assertSame(Scenario scenario, Object answer, Object again) {
		if (TAKES_ALL.contains(scenario.script())) {
			List<?> counts = (again instanceof List<?> several) ? several : List.of(again);
			assertThat(counts).allSatisfy((count) -> assertThat(count).hasToString("0"));
		}
		else if (answer == Settled.COUNTED) {
			assertThat(again).isEqualTo(Settled.GONE);
		}
		else if (answer instanceof List<?> settled && settled.contains(Settled.COUNTED)) {
			assertThat(List.<Object>copyOf((List<?>) again)).hasSameSizeAs(settled).doesNotContain(Settled.COUNTED);
		}
		else {
			assertThat(ofARepeat(again)).isEqualTo(ofARepeat(answer));
		}
	}

}
