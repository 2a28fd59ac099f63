package io.delayqueue.model;

import java.util.List;

import io.delayqueue.model.Scope.Feature;
import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/**
 * The steps of callers: schedule, replace, postpone, reschedule, and repeats of calls.
 */
final class CallerSteps {

	private static final List<Transition> CALLS = List.of(Transition.SCHEDULE, Transition.REPLACE, Transition.POSTPONE,
			Transition.RESCHEDULE);

	private final Scope scope;

	private final ScheduleScripts scripts;

	private final RememberedCallSteps remembered;

	private final List<Transition> calls;

	CallerSteps(Scope scope) {
		this.scope = scope;
		this.scripts = new ScheduleScripts(scope);
		this.remembered = new RememberedCallSteps(scope);
		this.calls = CALLS.stream()
			.filter((call) -> call != Transition.POSTPONE || scope.has(Feature.POSTPONE))
			.toList();
	}

	void from(State state, Steps steps) {
		int made = state.get(Field.CALLS);
		if (made < this.scope.versions()) {
			for (Transition transition : this.calls) {
				firstAttempt(state, new Call(transition, made + 1, 1), steps);
				firstAttempt(state, new Call(transition, made + 1, 2), steps);
			}
			for (Transition transition : RememberedCallSteps.CALLS) {
				this.remembered.toBeRepeated(state, new Call(transition, made + 1, 1), steps);
			}
		}
		this.remembered.cancelOnce(state, steps);
		int open = Call.open(state);
		for (int version = 1; version <= made; version++) {
			if ((open & State.setOf(version)) != 0) {
				repeat(state, Call.of(state, version), steps);
			}
		}
	}

	private void firstAttempt(State state, Call call, Steps steps) {
		State called = state.with(Field.CALLS, call.version());
		boolean mayFail = state.get(Field.FAULTS) < this.scope.faults();
		if (mayFail) {
			steps.add(() -> call + " (request lost)", call.leaveOpen(called).counted(Field.FAULTS), Kind.FAULT, null);
		}
		Script script = script(called, call, false);
		ScriptStep step = new ScriptStep(called, script, Kind.USER);
		if (step.changesNothing()) {
			steps.ran(script.transition(), script.answer());
			return;
		}
		run(step, called, call, script, false, steps);
		if (mayFail) {
			State copied = call.leaveOpen(answered(step.after(), call, script)).counted(Field.FAULTS);
			steps.add(() -> call + ": " + script.answer().words() + " (a copy of the request is still on its way)",
					copied, Kind.FAULT, null);
		}
	}

	private void repeat(State state, Call call, Steps steps) {
		if (call.isRemembered()) {
			this.remembered.again(state, call, steps);
			return;
		}
		Script script = script(state, call, true);
		run(new ScriptStep(state, script, Kind.USER), state, call, script, true, steps);
	}

	private Script script(State state, Call call, boolean again) {
		return switch (call.transition()) {
			case SCHEDULE -> this.scripts.schedule(state, call, again);
			case REPLACE -> this.scripts.replace(state, call, again);
			case POSTPONE -> this.scripts.postpone(state, call, again);
			default -> this.scripts.reschedule(state, call);
		};
	}

	private void run(ScriptStep step, State before, Call call, Script script, boolean again, Steps steps) {
		step.words(() -> call + (again ? " again: " : ": ") + script.answer().words())
			.breaks((after) -> broken(before, after, call, again, script.answer()))
			.answered((after) -> call.close(answered(after, call, script)))
			.answerLost(call::leaveOpen)
			.stopped(call::leaveOpen)
			.into(steps, this.scope);
	}

	private State answered(State after, Call call, Script script) {
		return Observer.answerReceived(after, call, script.answer(), this.scope.has(Mutation.DUPLICATE_MEANS_MINE));
	}

	private @Nullable Property broken(State before, State after, Call call, boolean again, Answer answer) {
		if (call.transition() == Transition.RESCHEDULE) {
			return null;
		}
		boolean ended = before.has(Field.ENDED, call.versions());
		boolean handled = before.has(Field.HANDLED, call.versions());
		boolean brought = before.message().version() != call.version() && after.message().version() == call.version();
		return switch (answer) {
			case CREATED, REPLACED, POSTPONED -> {
				if (again && brought && (ended || handled)) {
					yield ended ? Property.P6B : Property.P9;
				}
				if (brought && after.has(Field.FAILURES)) {
					yield Property.P8;
				}
				// Schedule writes its remaining keys together with the record; later
				// calls may have changed them.
				boolean schedulesAgain = call.transition() == Transition.SCHEDULE && !brought;
				yield (schedulesAgain || isAsRequested(after, call, brought)) ? null : Property.P10;
			}
			// A script that stopped after the tombstone has not removed the record yet.
			case ENDED, SUPERSEDED -> (ended || handled || before.has(Field.STOPS)) ? null : Property.P7;
			case DUPLICATE, DEAD -> (again && (ended || handled)) ? Property.P7 : null;
			// An expired message is done: a sweep reads no record and finds no call.
			case DONE -> (again && handled && !ended) ? Property.P7 : null;
			default -> null;
		};
	}

	private boolean isAsRequested(State state, Call call, boolean brought) {
		if (state.message().version() != call.version()) {
			return true;
		}
		boolean late = state.location() == Location.SCHEDULED && !state.has(Field.FAILURES)
				&& state.get(Field.SCHEDULED) > Math.max(state.get(Field.NOW), state.message().due());
		// A message that left the sorted set may have been dead-lettered and redriven;
		// then it has no expiry.
		boolean wentOn = !brought && (state.has(Field.ENTRIES) || state.has(Field.FAILURES));
		boolean hasExpiry = !this.scope.has(Scope.Feature.EXPIRY) || call.due() != 1 || wentOn
				|| state.expiry().version() == call.version();
		return hasExpiry && !late;
	}

}
