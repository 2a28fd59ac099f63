package io.delayqueue.model;

import io.delayqueue.model.GroupScope.Setting;
import io.delayqueue.model.Steps.Kind;
import org.jspecify.annotations.Nullable;

/** The steps of producers: calls, and repeats of calls without an answer. */
final class GroupCallers {

	private final GroupScope scope;

	private final GroupScheduling scripts;

	GroupCallers(GroupScope scope) {
		this.scope = scope;
		this.scripts = new GroupScheduling(scope);
	}

	void from(State state, Steps steps) {
		for (int id = 0; id < this.scope.ids(); id++) {
			for (int due = 1; due <= (this.scope.has(Setting.DUE_AT_ONCE) ? 1 : 2); due++) {
				calls(state, id, due, steps);
			}
		}
		if (GroupCall.isOpen(state)) {
			GroupCall call = GroupCall.open(state);
			run(state, call, true, steps);
		}
	}

	private void calls(State state, int id, int due, Steps steps) {
		boolean stored = GroupKey.MESSAGES.of(state, id) != 0;
		if (GroupWorld.CALLS.of(state) < this.scope.calls()) {
			int label = GroupForm.newLabel(state);
			State called = GroupWorld.CALLS.counted(state);
			first(called, GroupCall.to(Transition.SCHEDULE, id, due, label), steps);
			if (this.scope.allows(Transition.REPLACE) && stored) {
				first(called, GroupCall.to(Transition.REPLACE, id, due, label), steps);
			}
			if (this.scope.allows(Transition.POSTPONE) && stored) {
				first(called, GroupCall.to(Transition.POSTPONE, id, due, label), steps);
			}
		}
		if (this.scope.allows(Transition.RESCHEDULE) && stored) {
			first(state, GroupCall.to(Transition.RESCHEDULE, id, due, 0), steps);
		}
	}

	private void first(State state, GroupCall call, Steps steps) {
		if (!run(state, call, false, steps) || GroupCall.isOpen(state)) {
			return;
		}
		boolean races = this.scope.has(GroupMutation.CLIENT_COUNTS);
		if (races && this.scope.living(state) < this.scope.quota()) {
			steps.add(() -> call + ": its client has found capacity", call.leaveOpen(state), Kind.USER, null);
		}
	}

	/** Whether the call changed anything. */
	private boolean run(State state, GroupCall call, boolean again, Steps steps) {
		GroupScript script = script(state, call, again);
		if (!again && script.changesNothing()) {
			steps.ran(script.transition(), script.answer());
			return false;
		}
		// The tombstone of a call does not cover later calls.
		boolean remembers = GroupCall.isOpen(script.state()) && again;
		new GroupStep(script, this.scope).by(() -> call + (again ? " again," : ","))
			.answered((after) -> answered(again ? close(after) : after, call, script.answer()))
			.unanswered((after) -> remembers ? after : call.leaveOpen(after))
			.breaks((after, answer) -> broken(state, after, call, again, answer))
			.into(steps, Kind.USER);
		if (!again && GroupWorld.FAULTS.of(state) < this.scope.faults() && !GroupCall.isOpen(state)) {
			State copied = GroupWorld.FAULTS.counted(call.leaveOpen(answered(script.state(), call, script.answer())));
			steps.add(() -> call + " (a copy of the request is still on its way)", copied, Kind.FAULT, null);
		}
		return true;
	}

	private GroupScript script(State state, GroupCall call, boolean again) {
		if (call.transition() == Transition.RESCHEDULE) {
			return this.scripts.reschedule(state, call);
		}
		return this.scripts.schedule(state, call, again);
	}

	private static State close(State state) {
		return GroupWorld.OPEN_CALL.set(state, 0);
	}

	private static State answered(State after, GroupCall call, Answer answer) {
		return switch (answer) {
			case CREATED, REPLACED, POSTPONED, SUPERSEDED, ENDED -> GroupWorld.ACCEPTED.plus(after, call.labels());
			default -> after;
		};
	}

	/** Whether a new message inherits data of an earlier message with its id. */
	private static boolean inherits(State state, int id) {
		return GroupKey.ACTIVE.of(state, id) != 0 || GroupKey.DEAD.of(state, id) != 0
				|| GroupKey.ENTRIES.of(state, id) != 0;
	}

	private static @Nullable Property broken(State before, State after, GroupCall call, boolean again, Answer answer) {
		boolean over = GroupWorld.ENDED.has(before, call.labels()) || GroupWorld.HANDLED.has(before, call.labels());
		boolean stopped = GroupWorld.STOPS.of(before) > 0;
		return switch (answer) {
			case CREATED, REPLACED, POSTPONED -> {
				boolean brought = GroupKey.MESSAGES.of(before, call.id()) != call.label()
						&& GroupKey.MESSAGES.of(after, call.id()) == call.label();
				if (again && brought && over) {
					yield Property.P6B;
				}
				yield (brought && answer == Answer.CREATED && inherits(after, call.id())) ? Property.P8 : null;
			}
			case SUPERSEDED, ENDED -> (over || stopped) ? null : Property.P7;
			case DUPLICATE, DEAD, FULL -> (again && over) ? Property.P7 : null;
			default -> null;
		};
	}

}
