package io.delayqueue.model;

import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/** The possible outcomes of a script: it answers, its answer is lost, or it stops. */
final class GroupStep {

	private final GroupScript script;

	private final GroupScope scope;

	private Supplier<String> actor = () -> "";

	private UnaryOperator<State> answered = UnaryOperator.identity();

	private UnaryOperator<State> unanswered = UnaryOperator.identity();

	private boolean answerMatters;

	private BiFunction<State, Answer, @Nullable Property> breaks = (after, answer) -> null;

	GroupStep(GroupScript script, GroupScope scope) {
		this.script = script;
		this.scope = scope;
	}

	GroupStep by(Supplier<String> actor) {
		this.actor = actor;
		return this;
	}

	/** The state of the caller after the answer. */
	GroupStep answered(UnaryOperator<State> answered) {
		this.answered = answered;
		return this;
	}

	/** The state of the caller when no answer comes. */
	GroupStep unanswered(UnaryOperator<State> unanswered) {
		this.unanswered = unanswered;
		this.answerMatters = true;
		return this;
	}

	/** The property that the answer breaks, given the state after it. */
	GroupStep breaks(BiFunction<State, Answer, @Nullable Property> breaks) {
		this.breaks = breaks;
		return this;
	}

	void into(Steps steps, Kind kind) {
		steps.ran(this.script.transition(), this.script.answer());
		State before = this.script.after(0);
		State after = this.answered.apply(this.script.state());
		Property broken = this.script.broken();
		steps.add(() -> words() + ": " + this.script.answer().words(), after, kind,
				(broken != null) ? broken : this.breaks.apply(after, this.script.answer()));
		if (this.answerMatters && GroupWorld.FAULTS.of(before) < this.scope.faults()) {
			State lost = GroupWorld.FAULTS.counted(this.unanswered.apply(this.script.state()));
			steps.add(() -> words() + ": " + this.script.answer().words() + " (answer lost)", lost, Kind.FAULT, null);
		}
		if (GroupWorld.STOPS.of(before) < this.scope.stops()) {
			for (int i = 1; i < this.script.size(); i++) {
				int last = i;
				State stopped = GroupWorld.STOPS.counted(this.unanswered.apply(this.script.after(i)));
				steps.add(() -> words() + " (STOPS after " + this.script.write(last) + ")", stopped, Kind.FAULT, null);
			}
		}
	}

	private String words() {
		return this.actor.get() + " " + this.script.transition().words();
	}

}
