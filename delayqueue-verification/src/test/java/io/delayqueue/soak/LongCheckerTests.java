package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.process.fixture.Journal.Line;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Journals of kills of full workers, each correct and with a broken rule. Times are ms.
 */
class LongCheckerTests {

	private static final long KILLED = 5000;

	private final List<Line> lines = new ArrayList<>();

	@Test
	void whatAKilledWorkerHeldBeginsAgainInTime() {
		held("long-1");
		add(KILLED + LongChecker.AGAIN_MILLIS, "w2", LongQueue.BEGIN, "long-1", 2, "1000");
		add(99_000, "w2", LongQueue.END, "long-1", 2, "-");
		assertThat(judge()).isEmpty();

		held("long-2");
		add(KILLED + LongChecker.AGAIN_MILLIS + 1, "w2", LongQueue.BEGIN, "long-2", 2, "1000");
		add(99_000, "w2", LongQueue.END, "long-2", 2, "-");
		assertThat(judge()).containsExactly("of the long queue: held by a killed worker, and began again late");
	}

	@Test
	void whatAKilledWorkerHeldBeginsAgain() {
		held("long-1");
		assertThat(judge()).containsExactly("of the long queue: held by a killed worker, and did not begin again",
				"of the long queue: lost or stuck");
	}

	@Test
	void whatAKilledWorkerDidNotHoldIsHardlyLate() {
		add(4000, "w2", LongQueue.BEGIN, "long-1", 1, "1000");
		assertThat(judge()).isEmpty();

		add(4001, "w2", LongQueue.BEGIN, "long-2", 1, "1000");
		assertThat(judge()).containsExactly("of the long queue: late, although no killed worker held it");
	}

	@Test
	void whatAKilledWorkerHeldDoesNotBeginAgainOneAfterTheOther() {
		for (int n = 1; n <= 6; n++) {
			add(1000, "soak", LongQueue.STORED, "long-" + n, 0, LongQueue.FILLS);
			add(1000, "w1", LongQueue.BEGIN, "long-" + n, 1, "1000");
		}
		add(KILLED, "soak", LongQueue.KILLED, "w1", 0, "-");
		for (int n = 1; n <= 6; n++) {
			add(6000 + n, "w2", LongQueue.BEGIN, "long-" + n, 1, "1000");
			add(6000 + n, "w2", LongQueue.END, "long-" + n, 1, "-");
		}
		assertThat(judge())
			.containsExactly("of the long queue: held by a killed worker, and begun again one after the other");

		this.lines.remove(this.lines.size() - 3);
		add(7000, "w2", LongQueue.END, "long-5", 1, "-");
		assertThat(judge()).isEmpty();
	}

	@Test
	void whatFillsTheWorkersMayWait() {
		add(1000, "soak", LongQueue.STORED, "long-1", 0, LongQueue.FILLS);
		add(9000, "w1", LongQueue.BEGIN, "long-1", 1, "1000");
		add(9000, "w1", LongQueue.END, "long-1", 1, "-");
		assertThat(judge()).isEmpty();
	}

	private void held(String id) {
		add(1000, "soak", LongQueue.STORED, id, 0, "-");
		add(1000, "w1", LongQueue.BEGIN, id, 1, "1000");
		add(KILLED, "soak", LongQueue.KILLED, "w1", 0, "-");
	}

	private Set<String> judge() {
		return new LongChecker(this.lines).violations().keySet();
	}

	private void add(long millis, String process, String event, String id, int attempt, String more) {
		this.lines.add(new Line(millis, process, event, id, attempt, more));
	}

}
