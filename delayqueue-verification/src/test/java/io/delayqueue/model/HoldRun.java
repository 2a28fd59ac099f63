package io.delayqueue.model;

import java.util.ArrayList;
import java.util.List;

/** One run of a script: the states after each of its writes. */
final class HoldRun {

	private final List<State> states = new ArrayList<>();

	private State state;

	HoldRun(State before) {
		this.state = before;
	}

	void set(HoldKey key, int value) {
		together(key.set(this.state, value));
	}

	/** A write of several values. */
	void together(State after) {
		if (!after.equals(this.state)) {
			this.state = after;
			this.states.add(after);
		}
	}

	List<State> states() {
		return this.states;
	}

	State state() {
		return this.state;
	}

}
