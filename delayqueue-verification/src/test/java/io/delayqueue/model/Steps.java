package io.delayqueue.model;

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
