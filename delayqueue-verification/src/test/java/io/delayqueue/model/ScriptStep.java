package io.delayqueue.model;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The possible outcomes of a script: it answers, its answer is lost, or it stops after
 * one of its writes, because Redis rolls nothing back.
 */
final class ScriptStep {

	private final State before;

	private final Script script;

	private final Kind kind;

	private final State[] states;

	private Supplier<String> words;

	private Function<State, @Nullable Property> breaks = (after) -> null;

	private UnaryOperator<State> answered = UnaryOperator.identity();

	private @Nullable UnaryOperator<State> answerLost;

	private UnaryOperator<State> stopped = UnaryOperator.identity();

	ScriptStep(State before, Script script, Kind kind) {
		this.before = before;
		this.script = script;
		this.kind = kind;
		this.states = script.run(before);
		this.words = () -> script.transition().words() + ": " + script.answer().words();
	}

	ScriptStep words(Supplier<String> words) {
		this.words = words;
		return this;
	}

	/** The property that the answer breaks, given the state after it. */
	ScriptStep breaks(Function<State, @Nullable Property> breaks) {
		this.breaks = breaks;
		return this;
	}

	/** The state of the caller after the answer. */
	ScriptStep answered(UnaryOperator<State> answered) {
		this.answered = answered;
		return this;
	}

	/** The state of the caller after a lost answer; unset, it does not change. */
	ScriptStep answerLost(UnaryOperator<State> answerLost) {
		this.answerLost = answerLost;
		return this;
	}

	/** The state of the caller after a script that stopped. */
	ScriptStep stopped(UnaryOperator<State> stopped) {
		this.stopped = stopped;
		return this;
	}

	boolean changesNothing() {
		return after().equals(this.before);
	}

	/** The state after all writes, before the caller has processed the answer. */
	State after() {
		return this.states[this.states.length - 1];
	}

	void into(Steps steps, Scope scope) {
		steps.ran(this.script.transition(), this.script.answer());
		steps.wrote(this.script.transition(), writes());
		State after = this.answered.apply(after());
		steps.add(this.words, after, this.kind, this.breaks.apply(after));
		failuresInto(steps, scope);
	}

	/** All writes but the removals of absent values. */
	private List<Command> writes() {
		return IntStream.range(1, this.states.length)
			.filter((i) -> !this.script.command(i - 1).removes() || !this.states[i].equals(this.states[i - 1]))
			.mapToObj((i) -> this.script.command(i - 1))
			.toList();
	}

	/** Adds the failures only. */
	void failuresInto(Steps steps, Scope scope) {
		if (this.answerLost != null && this.before.get(Field.FAULTS) < scope.faults()) {
			State lost = this.answerLost.apply(after()).counted(Field.FAULTS);
			steps.add(() -> this.words.get() + " (answer lost)", lost, Kind.FAULT, null);
		}
		if (this.before.get(Field.STOPS) < scope.stops()) {
			stopsInto(steps);
		}
	}

	private void stopsInto(Steps steps) {
		for (int i = 1; i < this.states.length - 1; i++) {
			if (!this.states[i].equals(this.states[i - 1])) {
				Command last = this.script.command(i - 1);
				State stopped = this.stopped.apply(this.states[i]).counted(Field.STOPS);
				steps.add(() -> this.words.get() + " (STOPS after " + last.words() + ")", stopped, Kind.FAULT, null);
			}
		}
	}

}
