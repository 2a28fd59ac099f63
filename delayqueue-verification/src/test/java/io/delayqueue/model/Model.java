package io.delayqueue.model;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/** The design, or a mutation of it, as steps from state to state. */
interface Model {

	/** All possible next steps. */
	void next(State state, Steps steps);

	/** The property that does not hold in a state. */
	@Nullable Property brokenIn(State state);

	/** The canonical form of states that differ in names only. */
	State canonical(State state);

	/** The canonical form in which the consumers keep their names, for a trace. */
	State renamed(State state);

	/** The states that the system must be able to reach without users or faults. */
	List<Rest> rests();

	/**
	 * A final state that must be reachable without users or faults.
	 *
	 * @param from the states from which it must be reachable
	 * @param good the final states
	 * @param withRepair whether repair may run
	 */
	record Rest(Predicate<State> from, Predicate<State> good, boolean withRepair) {
	}

}
