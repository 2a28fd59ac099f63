package io.delayqueue.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.process.LoadCall.Operation;
import io.delayqueue.process.LoadCall.Target;
import io.delayqueue.process.fixture.Journal.Line;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoadCheckerTests {

	private static final long RESUMED = 100_000;

	private final List<LoadCall> calls = new ArrayList<>();

	private final List<Line> lines = new ArrayList<>();

	private final Target chosen = new Target("chosen", "c-1", "");

	@BeforeEach
	void handleOneAfterThePause() {
		schedule(1, new Target("paused", "p-1", ""), 10, 10);
		this.lines.add(new Line(RESUMED, "producers", LoadChecker.RESUMED, "paused", 0, "-"));
		handle("paused/1", RESUMED + 1, 10);
	}

	@Test
	void handledMessageBreaksNoRule() {
		schedule(2, this.chosen, 100, 120);
		handle("chosen/2", 120, 120);

		assertThat(faults()).isEmpty();
	}

	@Test
	void messageThatIsNeitherHandledNorCancelledIsLost() {
		schedule(2, this.chosen, 100, 120);

		assertThat(faults()).singleElement().asString().startsWith("1 lost or stuck");
		call(3, Operation.CANCEL, this.chosen, "CANCELLED", 110);
		assertThat(faults()).isEmpty();
	}

	@Test
	void messageOfNoAcceptedCallIsAFault() {
		call(2, Operation.SCHEDULE, this.chosen, "DUPLICATE", 100);
		handle("chosen/2", 120, 120);

		assertThat(faults()).singleElement().asString().startsWith("1 handled, but not accepted");
	}

	@Test
	void messageBeforeItsDueTimeIsEarly() {
		schedule(2, this.chosen, 100, 120);
		handle("chosen/2", 119, 119);

		assertThat(faults()).singleElement().asString().startsWith("1 early");
	}

	@Test
	void messageAfterItsCancelIsAFault() {
		schedule(2, this.chosen, 100, 120);
		call(3, Operation.CANCEL, this.chosen, "CANCELLED", 110);
		handle("chosen/2", 120, 120);

		assertThat(faults()).singleElement().asString().startsWith("1 handled after a cancel");
	}

	@Test
	void idIsStoredOnceUntilItIsForgotten() {
		schedule(2, this.chosen, 100, 120);
		handle("chosen/2", 120, 120);
		long forgotten = 120 + LoadPlan.DONE_WINDOW.toMillis();
		schedule(3, this.chosen, forgotten, forgotten);
		handle("chosen/3", forgotten, forgotten);
		assertThat(faults()).isEmpty();

		schedule(4, this.chosen, forgotten + 5, forgotten + 5);
		handle("chosen/4", forgotten + 6, forgotten + 5);
		assertThat(faults()).singleElement().asString().startsWith("1 stored twice");
	}

	@Test
	void existingMessageIsFound() {
		schedule(2, this.chosen, 100, 200);
		call(3, Operation.FIND, this.chosen, "NOT_FOUND", 110);
		handle("chosen/2", 200, 200);

		assertThat(faults()).singleElement().asString().startsWith("1 not found");
	}

	@Test
	void messageIsRepeatedOnlyAfterTheDeathOfItsProcess() {
		schedule(2, this.chosen, 100, 120);
		line(120, "one", "begin", "chosen/2", 1, 120);
		line(200, "other", "begin", "chosen/2", 2, 120);
		line(201, "other", "end", "chosen/2", 2, 0);

		assertThat(faults()).singleElement().asString().startsWith("1 repeated without a cause");
		line(150, "producers", LoadChecker.KILLED, "one", 0, 0);
		assertThat(faults()).isEmpty();
	}

	@Test
	void groupHasNoMoreMessagesThanItsQuota() {
		for (int i = 0; i <= LoadPlan.QUOTA; i++) {
			schedule(2 + i, new Target("limited", "l-" + i, "group"), 100, 120);
		}
		for (int i = 0; i <= LoadPlan.QUOTA; i++) {
			handle("limited/" + (2 + i), 120, 120);
		}

		assertThat(faults()).singleElement().asString().startsWith("1 over quota");
	}

	@Test
	void strictGroupKeepsItsOrder() {
		schedule(2, new Target("strict", "s-1", "group"), 100, 120);
		schedule(3, new Target("strict", "s-2", "group"), 100, 130);
		handle("strict/3", 140, 130);
		handle("strict/2", 150, 120);

		assertThat(faults()).singleElement().asString().startsWith("1 out of order in a strict group");
	}

	@Test
	void strictGroupHandlesOneMessageAtATime() {
		schedule(2, new Target("strict", "s-1", "group"), 100, 120);
		schedule(3, new Target("strict", "s-2", "group"), 100, 130);
		line(120, "one", "begin", "strict/2", 1, 120);
		handle("strict/3", 140, 130);
		line(150, "one", "end", "strict/2", 1, 0);

		assertThat(faults()).singleElement().asString().startsWith("1 at the same time in a strict group");
	}

	@Test
	void nothingIsHandledInAPause() {
		schedule(2, new Target("paused", "p-2", ""), 100, 120);
		handle("paused/2", 120, 120);

		assertThat(faults()).singleElement().asString().startsWith("1 handled in a pause");
	}

	@Test
	void otherAnswersAreFaults() {
		call(2, Operation.CANCEL, this.chosen, "java.lang.IllegalStateException", 100);

		assertThat(faults()).singleElement().asString().startsWith("1 answer that is not documented");
	}

	private List<String> faults() {
		return new LoadChecker(this.calls, this.lines).faults(Set.of());
	}

	private void schedule(int number, Target target, long atMillis, long dueMillis) {
		this.calls.add(new LoadCall(number, Operation.SCHEDULE, target, dueMillis - atMillis, "done", "CREATED",
				atMillis, atMillis + 1, dueMillis));
	}

	private void call(int number, Operation operation, Target target, String answer, long atMillis) {
		this.calls.add(new LoadCall(number, operation, target, 0, "done", answer, atMillis, atMillis + 1, 0));
	}

	private void handle(String name, long atMillis, long dueMillis) {
		line(atMillis, "one", "begin", name, 1, dueMillis);
		line(atMillis, "one", "end", name, 1, 0);
	}

	private void line(long millis, String process, String event, String id, int attempt, long more) {
		this.lines.add(new Line(millis, process, event, id, attempt, Long.toString(more)));
	}

}
