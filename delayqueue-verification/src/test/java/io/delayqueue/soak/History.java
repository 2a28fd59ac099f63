package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.process.fixture.Journal.Line;
import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;
import io.delayqueue.soak.Checker.Left;

/** A history of one id for {@link AnswerCheckerTests}. Times are ms. */
final class History {

	static final String ID = "chosen-1";

	private final List<Call> calls = new ArrayList<>();

	private final List<Line> lines = new ArrayList<>();

	private final char kind;

	private Left left = new Left(Set.of(), Set.of(), Set.of(), List.of(), List.of(), 0);

	private long entry;

	History() {
		this('m');
	}

	History(char kind) {
		this.kind = kind;
	}

	History copy() {
		History copy = new History(this.kind);
		copy.calls.addAll(this.calls);
		copy.lines.addAll(this.lines);
		copy.left = this.left;
		copy.entry = this.entry;
		return copy;
	}

	History call(Operation operation, long from, long to, Answer answer) {
		return call(operation, from, to, answer, 0);
	}

	History call(Operation operation, long from, long to, Answer answer, long due) {
		this.calls.add(new Call(this.calls.size() + 1, ID, this.kind, operation, false, due, 1000 * from, 1000 * to,
				answer, answer.isAccepted() || operation == Operation.FIND ? due : 0));
		return this;
	}

	History delivered(int version, long at, long due) {
		this.entry = at;
		return line(at, AnswerChecker.DELIVERED, at + "-0," + 1000 * at + "," + due + "," + payload(version));
	}

	History begin(int version, long at) {
		return line(at, "begin", at + "/" + payload(version));
	}

	History success(int version, long at) {
		return line(at, "success", payload(version));
	}

	History failure(int version, long at) {
		return line(at, "failure", payload(version));
	}

	/** The last delivery is handled. */
	History handled(int version, long at) {
		return success(version, at).line(at + 1, "acknowledged", this.entry + "-0");
	}

	/** A change of the partition count begins. */
	History changed(long at) {
		return line(at, AnswerChecker.REPARTITION, "3");
	}

	History left(Set<String> records, Set<String> dead) {
		this.left = new Left(records, dead, Set.of(), List.of(), List.of(), 0);
		return this;
	}

	Set<String> violations() {
		return new AnswerChecker(this.calls, this.lines, this.left).violations().keySet();
	}

	private String payload(int version) {
		return this.kind + "-" + version;
	}

	private History line(long at, String event, String more) {
		this.lines.add(new Line(at, "w1", event, ID, 0, more));
		return this;
	}

}
