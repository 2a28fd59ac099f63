package io.delayqueue.soak;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.MessageEnd.How;
import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.soak.RecurringChecker.End;
import io.delayqueue.soak.RecurringQueue.Call;
import io.delayqueue.soak.RecurringQueue.Definition;
import io.delayqueue.soak.RecurringQueue.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Journals of a schedule of the recurring queue, each correct and with a broken rule.
 * Times are ms.
 */
class RecurringCheckerTests {

	private static final String RULE = "of the recurring queue: ";

	private static final String KEY = "s";

	private final List<Call> calls = new ArrayList<>();

	private final List<Line> lines = new ArrayList<>();

	private final List<End> ends = new ArrayList<>();

	@Test
	void eachInstantIsHandled() {
		put(1, 5000, 8000);
		handled(1, 6000);
		handled(1, 7000);
		assertThat(judge()).containsExactly(RULE + "missing");
		handled(1, 8000);
		assertThat(judge()).isEmpty();

		begin(1, 9000, 9000, 1);
		assertThat(judge()).containsExactly(RULE + "of another definition", RULE + "without an end");
	}

	@Test
	void anInstantThatBegunIsHandled() {
		put(1, 5000, 6000);
		begin(1, 6000, 6000, 1);
		this.ends.add(new End(RecurringQueue.id(KEY, 6000), How.ACKNOWLEDGED));
		assertThat(judge()).containsExactly(RULE + "missing", RULE + "ended without a cause");
		begin(1, 6000, 9000, 2);
		end(1, 6000, 9000);
		assertThat(judge()).isEmpty();
	}

	@Test
	void noInstantIsEarlyOrStoredTwice() {
		put(1, 5000, 6000);
		handled(1, 6000);
		assertThat(judge()).isEmpty();
		begin(1, 6000, 6100, 1);
		assertThat(judge()).containsExactly(RULE + "stored twice");
		this.lines.clear();
		begin(1, 6000, 5999, 1);
		end(1, 6000, 5999);
		assertThat(judge()).containsExactly(RULE + "early");
	}

	@Test
	void aPausedOrDeletedScheduleHasNoInstants() {
		put(1, 5000, 60_000);
		call(Operation.PAUSE, 6500, "true");
		handled(1, 6000);
		call(Operation.RESUME, 9500, "true");
		handled(1, 10_000);
		call(Operation.DELETE, 10_500, "true");
		assertThat(judge()).isEmpty();
		handled(1, 7000);
		handled(1, 11_000);
		assertThat(judge()).containsExactly(RULE + "of no schedule");
	}

	@Test
	void aReplacementHasItsOwnInstantsAndKeepsThePause() {
		put(1, 5000, 60_000);
		put(2, 6500, 60_000);
		handled(2, 7000);
		call(Operation.PAUSE, 7500, "true");
		put(3, 8500, 60_000);
		assertThat(judge()).isEmpty();
		handled(1, 7000);
		assertThat(judge()).isNotEmpty();
		this.lines.clear();
		this.ends.clear();
		handled(1, 7000);
		assertThat(judge()).containsExactly(RULE + "of another definition");
		this.lines.clear();
		this.ends.clear();
		handled(3, 9000);
		assertThat(judge()).containsExactly(RULE + "of no schedule");
	}

	@Test
	void anInstantLongBeforeACallIsRequiredAndOneDuringACallIsNot() {
		put(1, 5000, 60_000);
		call(Operation.DELETE, 15_999, "true");
		assertThat(judge()).isEmpty();
		handled(1, 16_000);
		assertThat(judge()).isEmpty();
		this.calls.remove(1);
		call(Operation.DELETE, 16_001, "true");
		assertThat(judge()).containsExactly(RULE + "missing");
	}

	@Test
	void callsFindWhatIsStoredAndWhatIsRunIsHandled() {
		call(Operation.PAUSE, 4000, "false");
		put(1, 5000, 60_000);
		call(Operation.RUN, 5500, "generated");
		assertThat(judge()).contains(RULE + "not run");
		this.lines.add(new Line(5600, "w1", RecurringQueue.END, "generated", 1, "1"));
		call(Operation.PAUSE, 5800, "true");
		assertThat(judge()).isEmpty();
		call(Operation.RESUME, 5900, "false");
		call(Operation.DELETE, 5950, "true");
		assertThat(judge()).containsExactly(RULE + "wrong answer");
	}

	@Test
	void eachMessageIsOnceInTheHistory() {
		put(1, 5000, 6000);
		handled(1, 6000);
		this.ends.add(this.ends.get(0));
		assertThat(judge()).containsExactly(RULE + "ended twice");
		this.ends.clear();
		assertThat(judge()).containsExactly(RULE + "without an end");
		this.ends.add(new End(RecurringQueue.id(KEY, 6000), How.PURGED));
		assertThat(judge()).containsExactly(RULE + "ended without a cause");
	}

	@Test
	void aPurgeRemovesWhatIsDueAndNotTheNextOccurrence() {
		put(1, 5000, 7000);
		call(Operation.PURGE, 6500, "1");
		this.ends.add(new End(RecurringQueue.id(KEY, 6000), How.PURGED));
		handled(1, 7000);
		assertThat(judge()).isEmpty();

		this.lines.clear();
		this.ends.set(1, new End(RecurringQueue.id(KEY, 7000), How.PURGED));
		assertThat(judge()).containsExactly(RULE + "missing", RULE + "ended without a cause");
		this.ends.set(0, new End(RecurringQueue.id(KEY, 6000), How.CANCELLED));
		call(Operation.CANCEL_GROUP, 7500, "1");
		call(Operation.PURGE, 7500, "1");
		assertThat(judge()).isEmpty();
	}

	private Set<String> judge() {
		return new RecurringChecker(this.calls, this.lines, this.ends).judge().keySet();
	}

	private void put(int version, long millis, long until) {
		call(Operation.PUT, millis, "true", new Definition(version, null, Duration.ofSeconds(1),
				Instant.ofEpochMilli(6000), Instant.ofEpochMilli(until), false));
	}

	private void call(Operation operation, long millis, String answer) {
		call(operation, millis, answer, null);
	}

	private void call(Operation operation, long millis, String answer, @Nullable Definition definition) {
		this.calls.add(new Call(KEY, operation, definition, millis, millis + 5, answer));
	}

	private void handled(int version, long instant) {
		begin(version, instant, instant, 1);
		end(version, instant, instant);
		this.ends.add(new End(RecurringQueue.id(KEY, instant), How.ACKNOWLEDGED));
	}

	private void begin(int version, long instant, long millis, int attempt) {
		add(RecurringQueue.BEGIN, version, instant, millis, attempt);
	}

	private void end(int version, long instant, long millis) {
		add(RecurringQueue.END, version, instant, millis, 1);
	}

	private void add(String event, int version, long instant, long millis, int attempt) {
		this.lines
			.add(new Line(millis, "w1", event, RecurringQueue.id(KEY, instant), attempt, Integer.toString(version)));
	}

}
