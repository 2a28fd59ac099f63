package io.delayqueue.observe;

import java.util.Map;

/**
 * Span of a message. May be passed between threads, but is used by one thread at a time.
 * Throws no exceptions of its own.
 */
public interface MessageSpan {

	/** Span that records nothing. */
	MessageSpan NONE = new MessageSpan() {
	};

	/**
	 * Adds the headers that link the span of the handler to this span. None of the
	 * caller's headers is replaced.
	 * @param own the headers that the caller set on the message; not changed
	 * @return the caller's headers and the added ones
	 */
	default Map<String, String> headers(Map<String, String> own) {
		return own;
	}

	/**
	 * Sets the id of the message of this span if it was not known when the span began.
	 * @param id the message's id
	 */
	default void message(String id) {
	}

	/**
	 * Records the outcome for a message. Called once for each message of the span.
	 * @param outcome one of a closed set
	 */
	default void outcome(Enum<?> outcome) {
	}

	/**
	 * Records a failure. Only the first failure counts.
	 * @param failure the exception
	 */
	default void failed(Throwable failure) {
	}

	/**
	 * Makes this span the current one of the calling thread.
	 * @return the scope, to be closed by the same thread before {@link #end}
	 */
	default Scope open() {
		return Scope.NONE;
	}

	/** Ends this span. Does nothing if the span has already ended. */
	default void end() {
	}

	/**
	 * Runs work with this span as the current one.
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the work may throw
	 * @param work the work
	 * @return the result of the work
	 * @throws E if the work fails
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

	/** Period during which a span is the current one of a thread. */
	@FunctionalInterface
	interface Scope {

		/** Scope without a span. */
		Scope NONE = () -> {
		};

		/** Restores the previous current span. */
		void close();

	}

	/**
	 * Work to run within a span.
	 *
	 * @param <T> the type of the result
	 * @param <E> the type of the exception that the work may throw
	 */
	@FunctionalInterface
	interface Work<T, E extends Throwable> {

		/**
		 * Runs the work.
		 * @return the result
		 * @throws E if the work fails
		 */
		T run() throws E;

	}

}
