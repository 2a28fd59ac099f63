package io.delayqueue.soak;

/**
 * A call of the producer and its answer, as they are written down outside Redis.
 *
 * @param number the call's own number; a message carries that of the call that stored it
 * @param id the message's id
 * @param kind what the message's handler does: the first letter of its payload
 * @param operation what was asked for
 * @param fromNow whether the due time is counted from when Redis has the call
 * @param askedMillis the due time that is asked for, ms since 1970 or ms from now; 0 if
 * the operation has none
 * @param callMicros when it was called, us since 1970, by the clock of the host
 * @param answerMicros when it had its answer
 * @param answer the answer
 * @param dueMillis the due time that the answer names, 0 if it names none
 */
record Call(int number, String id, char kind, Operation operation, boolean fromNow, long askedMillis, long callMicros,
		long answerMicros, Answer answer, long dueMillis) {

	/** What may be asked for. */
	enum Operation {

		/** Schedules with a generated id. */
		SCHEDULE,

		/** Schedules with a chosen id; one that is known stays. */
		KEEP,

		/** Schedules with a chosen id, and throws if it is known. */
		FAIL,

		/** Schedules in the place of the one that is known. */
		REPLACE,

		/** As replace, and the message is due later. */
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
	 * What is answered: the words of the API, whether returned or thrown. A message that
	 * {@code find} does not find is {@link #NOT_FOUND}.
	 */
	enum Answer {

		CREATED, REPLACED, POSTPONED, DUPLICATE, DONE, DEAD_LETTER,

		CANCELLED, IN_FLIGHT, NOT_FOUND, RESCHEDULED,

		SCHEDULED, READY, PENDING, PARKED, DEAD,

		/** It was certainly not carried out. */
		NOT_ACCEPTED,

		/**
		 * It may have been carried out, or may still be: a command may wait for a Redis
		 * that stands still.
		 */
		UNKNOWN;

		/** Whether a message was stored. */
		boolean isAccepted() {
			return compareTo(POSTPONED) <= 0;
		}

	}

	/** What the message that it stores carries. */
	String payload() {
		return this.kind + "-" + this.number;
	}

	/** The number of the call that stored a message. */
	static int numberIn(String payload) {
		return Integer.parseInt(payload.substring(payload.indexOf('-') + 1));
	}

	/** Before when its message is not due, ms. */
	long firstDue() {
		if (this.dueMillis > 0) {
			return this.dueMillis;
		}
		// The limit of a postponement may bring its message back
		return (this.operation == Operation.POSTPONE) ? 0
				: this.fromNow ? this.callMicros / 1000 + this.askedMillis : this.askedMillis;
	}

	/** After when its message is not due, ms. */
	long lastDue() {
		if (this.dueMillis > 0) {
			return this.dueMillis;
		}
		if (this.operation == Operation.POSTPONE || (this.fromNow && this.answer == Answer.UNKNOWN)) {
			return Long.MAX_VALUE;
		}
		return this.fromNow ? this.answerMicros / 1000 + this.askedMillis : this.askedMillis;
	}

	@Override
	public String toString() {
		return "call %d %s%s %s at %d to %d us%s".formatted(this.number, this.operation,
				(this.askedMillis > 0) ? (this.fromNow ? " +" : " ") + this.askedMillis : "", this.answer,
				this.callMicros, this.answerMicros, (this.dueMillis > 0) ? " due " + this.dueMillis : "");
	}

}
