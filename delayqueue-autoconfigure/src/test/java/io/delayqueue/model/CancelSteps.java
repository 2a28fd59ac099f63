package io.delayqueue.model;

import io.delayqueue.model.Steps.Kind;

/** What a caller does who cancels, and repeats it when the answer is lost. */
final class CancelSteps {

	private final Scope scope;

	private final CancelScript script;

	CancelSteps(Scope scope) {
		this.scope = scope;
		this.script = new CancelScript(scope);
	}

	/** A cancel whose caller does not repeat it. */
	void once(State state, Steps steps) {
		Script script = this.script.cancel(state, 0);
		ScriptStep step = new ScriptStep(state, script, Kind.USER);
		if (step.changesNothing()) {
			steps.ran(script.transition(), script.answer());
			return;
		}
		step.answered((after) -> Observer.sawCancelled(state, after, script.answer())).into(steps, this.scope);
	}

	/** A cancel whose answer is lost, or that stops: its caller will repeat it. */
	void toBeRepeated(State state, Call call, Steps steps) {
		State called = state.with(Field.CALLS, call.version());
		Script script = this.script.cancel(called, call.versions());
		ScriptStep step = new ScriptStep(called, script, Kind.USER);
		if (state.stored()) {
			step.words(() -> call + ": " + script.answer().words())
				.answerLost((after) -> executed(called, call.leaveOpen(after), call))
				.stopped((after) -> executed(called, call.leaveOpen(after), call))
				.failuresInto(steps, this.scope);
		}
	}

	/** A repeat. */
	void again(State state, Call call, Steps steps) {
		Script script = this.script.cancel(state, call.versions());
		ScriptStep step = new ScriptStep(state, script, Kind.USER);
		// What a stopped script was about to remove may be removed by any cancel.
		boolean twice = state.has(Field.EXECUTED, call.versions()) && state.stored() && !step.after().stored()
				&& !state.has(Field.STOPS);
		step.words(() -> call + " again: " + script.answer().words())
			.breaks((after) -> twice ? Property.P11 : null)
			.answered((after) -> call.close(Observer.sawCancelled(state, after, script.answer())))
			.answerLost((after) -> executed(state, after, call))
			.stopped((after) -> executed(state, after, call))
			.into(steps, this.scope);
	}

	private static State executed(State before, State after, Call call) {
		return (before.stored() && !after.stored()) ? after.plus(Field.EXECUTED, call.versions()) : after;
	}

}
