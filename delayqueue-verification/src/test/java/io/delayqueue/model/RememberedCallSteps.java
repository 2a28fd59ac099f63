package io.delayqueue.model;

import java.util.List;

import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a caller that cancels, redrives or discards, and repeats the call when the
 * answer is lost.
 */
final class RememberedCallSteps {

	static final List<Transition> CALLS = List.of(Transition.CANCEL, Transition.REDRIVE, Transition.DISCARD);

	private final Scope scope;

	private final CancelScript cancel;

	private final DeadLetterScripts deadLetters;

	RememberedCallSteps(Scope scope) {
		this.scope = scope;
		this.cancel = new CancelScript(scope);
		this.deadLetters = new DeadLetterScripts(scope);
	}

	/** A cancel whose caller does not repeat it. */
	void cancelOnce(State state, Steps steps) {
		Script script = this.cancel.cancel(state, 0);
		ScriptStep step = new ScriptStep(state, script, Kind.USER);
		if (step.changesNothing()) {
			steps.ran(script.transition(), script.answer());
			return;
		}
		step.answered((after) -> Observer.cancelReported(state, after, script.answer())).into(steps, this.scope);
	}

	/** A call whose answer is lost, or that stops: its caller will repeat it. */
	void toBeRepeated(State state, Call call, Steps steps) {
		State called = state.with(Field.CALLS, call.version());
		Script script = script(called, call);
		ScriptStep step = new ScriptStep(called, script, Kind.USER);
		if (state.stored() && !step.changesNothing()) {
			step.words(() -> call + ": " + script.answer().words())
				.answerLost((after) -> executed(called, call.leaveOpen(after), call))
				.stopped((after) -> executed(called, call.leaveOpen(after), call))
				.failuresInto(steps, this.scope);
		}
	}

	/** A repeat. */
	void again(State state, Call call, Steps steps) {
		Script script = script(state, call);
		ScriptStep step = new ScriptStep(state, script, Kind.USER);
		step.words(() -> call + " again: " + script.answer().words())
			.breaks((after) -> broken(state, step.after(), call, script.answer()))
			.answered((after) -> call.close(answered(state, after, call, script.answer())))
			.answerLost((after) -> executed(state, after, call))
			.stopped((after) -> executed(state, after, call))
			.into(steps, this.scope);
	}

	private Script script(State state, Call call) {
		return switch (call.transition()) {
			case REDRIVE -> this.deadLetters.redrive(state, call.versions());
			case DISCARD -> this.deadLetters.discard(state, call.versions());
			default -> this.cancel.cancel(state, call.versions());
		};
	}

	private static @Nullable Property broken(State before, State after, Call call, Answer answer) {
		boolean executed = before.has(Field.EXECUTED, call.versions());
		boolean redrives = call.transition() == Transition.REDRIVE;
		boolean twice = redrives ? schedules(before, after) : removes(before, after);
		// The leftovers of a stopped script may be removed by any cancel.
		if (executed && twice && !before.has(Field.STOPS)) {
			return Property.P11;
		}
		return (redrives && answer == Answer.AS_BEFORE && !executed) ? Property.P7 : null;
	}

	private static State answered(State before, State after, Call call, Answer answer) {
		// The message was redriven before the repeat of a discard that stopped.
		boolean goesOn = call.transition() == Transition.DISCARD && after.stored() && after.location() != Location.DEAD;
		return (call.transition() == Transition.REDRIVE || goesOn) ? after
				: Observer.cancelReported(before, after, answer);
	}

	private static State executed(State before, State after, Call call) {
		// A dead letter that also has another location counts as redriven.
		boolean isElsewhere = before.stored() && before.has(Field.DEAD) && before.location() != Location.DEAD;
		boolean executed = (call.transition() == Transition.REDRIVE) ? schedules(before, after) || isElsewhere
				: removes(before, after);
		return executed ? after.plus(Field.EXECUTED, call.versions()) : after;
	}

	private static boolean schedules(State before, State after) {
		return !before.has(Field.SCHEDULED) && after.has(Field.SCHEDULED);
	}

	private static boolean removes(State before, State after) {
		return before.stored() && !after.stored();
	}

}
