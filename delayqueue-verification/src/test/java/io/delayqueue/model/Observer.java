package io.delayqueue.model;

/**
 * Records the facts that the properties need. Reads the whole state, and changes nothing
 * that Redis, a consumer or a caller can read.
 */
final class Observer {

	private Observer() {
	}

	/**
	 * A record was removed or overwritten on request.
	 * @param before the state with the old record
	 * @param after the state with the new record, or none
	 * @param sameMessage whether it is the same message with another due time; then an
	 * accepted message stays accepted
	 * @return the state after
	 */
	static State recordRemoved(State before, State after, boolean sameMessage) {
		int gone = State.setOf(before.message().version());
		int comes = State.setOf(after.message().version());
		if (gone == comes) {
			return after;
		}
		State updated = after.plus(Field.ENDED, gone);
		return (sameMessage && before.has(Field.ACCEPTED, gone)) ? updated.plus(Field.ACCEPTED, comes) : updated;
	}

	/** A producer received its answer: records what it may rely on. */
	static State answerReceived(State state, Call call, Answer answer, boolean duplicateMeansMine) {
		boolean accepted = switch (answer) {
			case CREATED, REPLACED, POSTPONED, RESCHEDULED, SUPERSEDED, ENDED -> true;
			case DUPLICATE -> duplicateMeansMine;
			default -> false;
		};
		if (!accepted) {
			return state;
		}
		// The message may have been rescheduled since.
		boolean standsHere = state.message().token() == call.version();
		int standing = standsHere ? State.setOf(state.message().version()) : 0;
		return state.plus(Field.ACCEPTED, call.versions() | standing);
	}

	/** A message was reported as cancelled. */
	static State cancelReported(State before, State after, Answer answer) {
		boolean cancelled = switch (answer) {
			case CANCELLED, DEAD, MOVED -> true;
			// A stored answer about a record that still exists.
			case AS_BEFORE -> before.has(Field.TOMBSTONES, State.setOf(before.message().token()));
			default -> false;
		};
		return cancelled ? after.plus(Field.CANCELLED, before.message().generation()) : after;
	}

}
