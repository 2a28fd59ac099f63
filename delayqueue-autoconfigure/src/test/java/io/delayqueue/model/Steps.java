package io.delayqueue.model;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** Takes what may happen next. */
@FunctionalInterface
interface Steps {

	/**
	 * One thing that may happen.
	 * @param words what happens
	 * @param after the state it leads to
	 * @param kind who makes it happen
	 * @param broken the property that this very step breaks, {@code null} if none
	 */
	void add(Supplier<String> words, State after, Kind kind, @Nullable Property broken);

	/**
	 * A script may run here, whether it changes anything or not.
	 * @param transition the script
	 * @param answer its answer
	 */
	default void ran(Transition transition, Answer answer) {
	}

	/**
	 * The script that may run here changes something.
	 * @param transition the script
	 * @param writes its writes in order, but for those that have nothing to remove
	 */
	default void wrote(Transition transition, List<Command> writes) {
	}

	/** Who makes a step happen. */
	enum Kind {

		/** Goes on by itself. */
		SYSTEM,

		/** Somebody asks for it, or it may never come. */
		USER,

		/** Something fails. */
		FAULT,

		/** The repair of a partition. */
		REPAIR

	}

}
