package io.delayqueue.soak;

/**
 * A call of the producer and its answer, recorded outside Redis.
 *
 * @param number the number of the call; a message carries the number of the call that
 * stored it
 * @param id the id of the message
 * @param kind the behaviour of the handler: the first letter of the payload
 * @param operation the operation
 * @param fromNow whether the due time counts from the time when Redis executes the call
 * @param requestedMillis the requested due time, ms since 1970 or ms from now; 0 if the
 * operation has none
 * @param callMicros the time of the call, us since 1970, by the clock of the host
 * @param answerMicros the time of its answer
 * @param answer the answer
 * @param dueMillis the due time in the answer, 0 if there is none
 */
record Call(int number, String id, char kind, Operation operation, boolean fromNow, long requestedMillis,
		long callMicros, long answerMicros, Answer answer, long dueMillis) {

	/** The operations. */
	enum Operation {

		/** Schedules with a generated id. */
		SCHEDULE,

		/** Schedules with a chosen id; an existing message stays. */
		KEEP,

		/** Schedules with a chosen id, and throws if it exists. */
		FAIL,

		/** Schedules and replaces an existing message. */
		REPLACE,

		/**
		 * Schedules with a chosen id and postpones an existing message: replaces it, with
		 * a later due time.
		 */
		POSTPONE,

		/** Cancels. */
		CANCEL,

		/** Moves to another due time. */
		RESCHEDULE,

		/** Looks up. */
		FIND;

		/** Whether it stores a message. */
		boolean stores() {
			return compareTo(POSTPONE) <= 0;
		}

	}

	/**
	 * The answers: the words of the API, whether returned or thrown. A message that
	 * {@code find} does not find is {@link #NOT_FOUND}.
	 */
	enum Answer {

		CREATED, REPLACED, POSTPONED, DUPLICATE, DONE, DEAD_LETTER,

		CANCELLED, IN_FLIGHT, NOT_FOUND, RESCHEDULED,

		SCHEDULED, READY, PENDING, PARKED, DEAD,

		/** The call was certainly not executed. */
		NOT_ACCEPTED,

		/**
		 * The call may have been executed, or may still be executed: a command may wait
		 * for a frozen Redis.
		 */
		UNKNOWN;

		/** Whether a message was stored. */
		boolean isAccepted() {
			return compareTo(POSTPONED) <= 0;
		}

	}

	/** The payload of the message that it stores. */
	String payload() {
		return this.kind + "-" + this.number;
	}

	/** The number of the call that stored a message. */
	static int numberIn(String payload) {
		return Integer.parseInt(payload.substring(payload.indexOf('-') + 1));
	}

	/** The earliest possible due time of the call's message, ms. */
	long firstDue() {
		if (this.dueMillis > 0) {
			return this.dueMillis;
		}
		// The bound of a postponement may return its message
		return (this.operation == Operation.POSTPONE) ? 0
				: this.fromNow ? this.callMicros / 1000 + this.requestedMillis : this.requestedMillis;
	}

	/** The latest possible due time of the call's message, ms. */
	long lastDue() {
		if (this.dueMillis > 0) {
			return this.dueMillis;
		}
		if (this.operation == Operation.POSTPONE || (this.fromNow && this.answer == Answer.UNKNOWN)) {
			return Long.MAX_VALUE;
		}
		return this.fromNow ? this.answerMicros / 1000 + this.requestedMillis : this.requestedMillis;
	}

	@Override
	public String toString() {
		return "call %d %s%s %s at %d to %d us%s".formatted(this.number, this.operation,
				(this.requestedMillis > 0) ? (this.fromNow ? " +" : " ") + this.requestedMillis : "", this.answer,
				this.callMicros, this.answerMicros, (this.dueMillis > 0) ? " due " + this.dueMillis : "");
	}

}
