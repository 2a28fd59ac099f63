package io.delayqueue.model;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/** The design, or a mutation of it, as steps from state to state. */
interface Model {

	/** All that may happen next. */
	void next(State state, Steps steps);

	/** The property that does not hold in a state. */
	@Nullable Property brokenIn(State state);

	/** The one form of states that differ in names only. */
	State canonical(State state);

	/** The same, but the consumers keep their names: for a trace. */
	State renamed(State state);

	/** What the system must be able to come to by itself. */
	List<Rest> rests();

	/**
	 * An end that can be reached without anybody's doing.
	 *
	 * @param from the states that it must be reachable from
	 * @param good the states that are such an end
	 * @param withRepair whether repair may help
	 */
	record Rest(Predicate<State> from, Predicate<State> good, boolean withRepair) {
	}

}
