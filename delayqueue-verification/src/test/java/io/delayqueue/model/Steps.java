package io.delayqueue.model;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** Collects the possible next steps. */
@FunctionalInterface
interface Steps {

	/**
	 * Adds a possible step.
	 * @param words the description of the step
	 * @param after the state after it
	 * @param kind the cause of the step
	 * @param broken the property that this step itself breaks, {@code null} if none
	 */
	void add(Supplier<String> words, State after, Kind kind, @Nullable Property broken);

	/**
	 * Records that a script may run here, with or without a change.
	 * @param transition the script
	 * @param answer its answer
	 */
	default void ran(Transition transition, Answer answer) {
	}

	/**
	 * Records that a script that may run here changes something.
	 * @param transition the script
	 * @param writes its writes in order, without removals of absent values
	 */
	default void wrote(Transition transition, List<Command> writes) {
	}

	/** The cause of a step. */
	enum Kind {

		/** Happens without users or faults. */
		SYSTEM,

		/** Requested by a user; may never happen. */
		USER,

		/** Something fails. */
		FAULT,

		/** The repair of a partition. */
		REPAIR

	}

}
