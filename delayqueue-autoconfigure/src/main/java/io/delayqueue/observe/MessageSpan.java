package io.delayqueue.observe;

import java.util.Map;

/**
 * A span of a message's journey. It may be handed from one thread to another, but is used
 * by one at a time. Throws nothing of its own.
 */
public interface MessageSpan {

	/** Tells nobody anything. */
	MessageSpan NONE = new MessageSpan() {
	};

	/**
	 * The headers of a message that is scheduled within this span: its own, and those by
	 * which the span of its handler will find this one. None of its own is replaced.
	 * @param own the headers that the caller has given to the message; not changed
	 * @return all headers
	 */
	default Map<String, String> headers(Map<String, String> own) {
		return own;
	}

	/**
	 * Names the message that this span is about, where that was not known from the start.
	 * @param id the message's id
	 */
	default void message(String id) {
	}

	/**
	 * Tells what became of a message. Called once for each message of the span.
	 * @param outcome one of a closed set
	 */
	default void outcome(Enum<?> outcome) {
	}

	/**
	 * Tells that something failed. The first failure counts.
	 * @param failure what was thrown
	 */
	default void failed(Throwable failure) {
	}

	/**
	 * Makes this span the current one of the calling thread.
	 * @return to be closed by the same thread, before {@link #end}
	 */
	default Scope open() {
		return Scope.NONE;
	}

	/** Ends this span. Does nothing if it has ended. */
	default void end() {
	}

	/**
	 * Works with this span as the current one.
	 * @param <T> the type of the result
	 * @param <E> the type of what may be thrown
	 * @param work the work
	 * @return its result
	 * @throws E what it throws
	 */
	default <T, E extends Throwable> T during(Work<T, E> work) throws E {
		Scope scope = open();
		try {
			return work.run();
		}
		finally {
			scope.close();
		}
	}

	/** The time for which a span is a thread's current one. */
	@FunctionalInterface
	interface Scope {

		/** Of no span. */
		Scope NONE = () -> {
		};

		/** Makes current again what was so before. */
		void close();

	}

	/**
	 * Something to do.
	 *
	 * @param <T> the type of the result
	 * @param <E> the type of what may be thrown
	 */
	@FunctionalInterface
	interface Work<T, E extends Throwable> {

		/**
		 * Does it.
		 * @return the result
		 * @throws E if it fails
		 */
		T run() throws E;

	}

}
