package io.delayqueue.model;

/**
 * Writes down what the properties are about: it sees everything, and changes nothing that
 * Redis, a consumer or a caller could see.
 */
final class Observer {

	private Observer() {
	}

	/**
	 * A record was removed or overwritten because somebody asked for it.
	 * @param before with the old record
	 * @param after with the new one, or none
	 * @param sameMessage whether it is still the same message, with another due time:
	 * what was accepted then stays accepted
	 * @return the state after
	 */
	static State sawRecordGo(State before, State after, boolean sameMessage) {
		int gone = State.setOf(before.message().version());
		int comes = State.setOf(after.message().version());
		if (gone == comes) {
			return after;
		}
		State seen = after.plus(Field.ENDED, gone);
		return (sameMessage && before.has(Field.ACCEPTED, gone)) ? seen.plus(Field.ACCEPTED, comes) : seen;
	}

	/** A producer has its answer: what it may rely on from now on. */
	static State sawAnswer(State state, Call call, Answer answer, boolean duplicateMeansMine) {
		boolean accepted = switch (answer) {
			case CREATED, REPLACED, POSTPONED, RESCHEDULED, SUPERSEDED, ENDED -> true;
			case DUPLICATE -> duplicateMeansMine;
			default -> false;
		};
		if (!accepted) {
			return state;
		}
		// Its message may have been rescheduled since.
		boolean standsHere = state.message().token() == call.version();
		int standing = standsHere ? State.setOf(state.message().version()) : 0;
		return state.plus(Field.ACCEPTED, call.versions() | standing);
	}

	/** Somebody was told that no consumer takes the message from now on. */
	static State sawCancelled(State before, State after, Answer answer) {
		boolean cancelled = switch (answer) {
			case CANCELLED, DEAD, MOVED -> true;
			// A memory that speaks of a record which is still there.
			case AS_BEFORE -> before.has(Field.TOMBSTONES, State.setOf(before.message().token()));
			default -> false;
		};
		return cancelled ? after.plus(Field.CANCELLED, before.message().generation()) : after;
	}

}
