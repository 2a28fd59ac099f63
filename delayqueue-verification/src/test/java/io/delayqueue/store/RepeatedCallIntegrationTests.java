package io.delayqueue.store;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A driver may repeat a call itself if its answer is lost: the second run changes nothing
 * and returns the same.
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
	void theFirstRunLeavesAConsistentPartition(Scenario scenario) {
		List<Entry> held = scenario.given().prepare(this.partition);
		boolean startsInOrder = faults(this.partition.dump()).isEmpty();
		scenario.when().call(this.partition.store(), held);
		PartitionDump dump = this.partition.dump();
		assertThat(startsInOrder ? faults(dump) : Audit.invariant(dump, this.partition.now())).isEmpty();
	}

	private List<String> faults(PartitionDump dump) {
		return Audit.order(dump, this.partition.now(), dump.stream().pending().keySet());
	}

	/** The answer to a repeat does not name the messages that the first run dropped. */
	private static Object answerOfARepeat(Object answer) {
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
	 * A settlement cannot count twice; a call that processes all messages finds none in
	 * the second run.
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
			assertThat(answerOfARepeat(again)).isEqualTo(answerOfARepeat(answer));
		}
	}

}
