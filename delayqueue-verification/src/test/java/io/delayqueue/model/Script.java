package io.delayqueue.model;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One run of a script after all its reads and checks: its writes in order, and its
 * answer.
 */
final class Script {

	private final Transition transition;

	private final @Nullable Mutation mutation;

	private List<Write> writes = new ArrayList<>();

	private Answer answer = Answer.NONE;

	private boolean onRequest;

	Script(Transition transition, @Nullable Mutation mutation) {
		this.transition = transition;
		this.mutation = mutation;
	}

	Script write(Command command) {
		return write(command, 0);
	}

	Script write(Command command, int value) {
		this.writes.add(new Write(command, value));
		return this;
	}

	Script writeIf(boolean condition, Command command, int value) {
		return condition ? write(command, value) : this;
	}

	/** Sets whether this run removes or overwrites the record on request. */
	Script onRequest(boolean onRequest) {
		this.onRequest = onRequest;
		return this;
	}

	/** Ends the script. A mutation of this script takes effect here. */
	Script answers(Answer answer) {
		this.answer = answer;
		if (this.mutation != null) {
			this.writes = this.mutation.edit(this.transition, this.writes);
		}
		return this;
	}

	Transition transition() {
		return this.transition;
	}

	Answer answer() {
		return this.answer;
	}

	Command command(int index) {
		return this.writes.get(index).command();
	}

	/** The states before and after each write. */
	State[] run(State before) {
		State[] states = new State[this.writes.size() + 1];
		states[0] = before;
		for (int i = 0; i < this.writes.size(); i++) {
			states[i + 1] = run(this.writes.get(i), states[i]);
		}
		return states;
	}

	private State run(Write write, State before) {
		State after = write.on(before);
		if (!this.onRequest || !write.command().writes(Field.MESSAGES) || !before.stored()) {
			return after;
		}
		return Observer.recordRemoved(before, after, this.transition == Transition.RESCHEDULE);
	}

}
