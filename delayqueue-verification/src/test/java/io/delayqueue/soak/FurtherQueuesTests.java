package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.process.fixture.Journal.Line;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Journals of the narrow and of the failing queues, each correct and with a broken rule.
 * Times are ms.
 */
class FurtherQueuesTests {

	private final List<Line> lines = new ArrayList<>();

	@Test
	void aLimitMayMakeItsQueueSlowerByAFewTimes() {
		narrow(NarrowQueues.BY_CONCURRENCY, 2000);
		narrow(NarrowQueues.BY_LIMIT, 6000);
		narrow(NarrowQueues.BY_RATE, 6000);
		assertThat(NarrowQueues.violations(this.lines)).isEmpty();

		narrow(NarrowQueues.BY_RATE, 6001);
		assertThat(NarrowQueues.violations(this.lines).values())
			.containsExactly(List.of("narrow-rate 6001 ms instead of 2000"));
	}

	@Test
	void aLimitMayTakeTheTimeThatItsRateNeeds() {
		narrow(NarrowQueues.BY_CONCURRENCY, 100);
		narrow(NarrowQueues.BY_RATE, 3000);
		assertThat(NarrowQueues.violations(this.lines)).isEmpty();
	}

	@Test
	void aMessageThatIsDeferredForNoTimeWaits() {
		begin(5000, "w1", FailingQueues.DEFERS);
		begin(5000, "w1", FailingQueues.HOLDS);
		begin(5000 + FailingQueues.DEFERRED_MILLIS, "w1", FailingQueues.DEFERS);
		begin(5000 + FailingQueues.HELD_MILLIS, "w1", FailingQueues.HOLDS);
		begin(5000 + FailingQueues.HELD_MILLIS, "w2", FailingQueues.HOLDS);
		assertThat(FailingQueues.violations(this.lines, List.of())).isEmpty();

		begin(5000 + 2 * FailingQueues.HELD_MILLIS - 1, "w2", FailingQueues.HOLDS);
		assertThat(FailingQueues.violations(this.lines, List.of(FailingQueues.BLOCKED)).keySet())
			.containsExactly("begun again before its wait", "dead letters that wait for refused ones of another group");
	}

	private void narrow(String queue, long millis) {
		add(5000, "w1", NarrowQueues.BEGIN, "1", queue);
		add(5000 + millis, "w1", NarrowQueues.END, "1", queue);
	}

	private void begin(long millis, String process, String id) {
		add(millis, process, FailingQueues.BEGIN, id, "-");
	}

	private void add(long millis, String process, String event, String id, String more) {
		this.lines.add(new Line(millis, process, event, id, 0, more));
	}

}
