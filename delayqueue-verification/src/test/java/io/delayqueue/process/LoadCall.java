package io.delayqueue.process;

import java.util.Set;

/**
 * A call of a producer and its answer.
 *
 * @param number the number of the call
 * @param operation the operation
 * @param target the message that the call names
 * @param delayMillis the requested delay, 0 if the operation has none
 * @param work what the handler of a stored message does
 * @param answer the answer
 * @param calledMillis when the call began
 * @param answeredMillis when the answer was there
 * @param dueMillis the due time in the answer, 0 if there is none
 */
record LoadCall(int number, Operation operation, Target target, long delayMillis, String work, String answer,
		long calledMillis, long answeredMillis, long dueMillis) {

	/** All documented answers while Redis works. */
	private static final Set<String> DOCUMENTED = Set.of("CREATED", "DUPLICATE", "DONE", "DEAD_LETTER", "QUOTA",
			"CANCELLED", "IN_FLIGHT", "NOT_FOUND", "RESCHEDULED", "SCHEDULED", "READY", "PENDING", "PARKED", "DEAD");

	/** The operations. */
	enum Operation {

		/** Schedules; an existing message stays. */
		SCHEDULE,

		/** Cancels. */
		CANCEL,

		/** Moves to another due time from now. */
		RESCHEDULE,

		/** Looks up. */
		FIND

	}

	/**
	 * The message that a call names.
	 *
	 * @param queue its queue
	 * @param id its id, empty if it is to be generated
	 * @param group its group, empty if it has none
	 */
	record Target(String queue, String id, String group) {
	}

	String queue() {
		return this.target.queue();
	}

	String id() {
		return this.target.id();
	}

	String group() {
		return this.target.group();
	}

	/** The name of the stored message in the journal: ids may be used again. */
	String name() {
		return this.target.queue() + "/" + this.number;
	}

	boolean isDocumented() {
		return DOCUMENTED.contains(this.answer);
	}

	boolean hasStored() {
		return this.operation == Operation.SCHEDULE && this.answer.equals("CREATED");
	}

	/** Whether it has removed a message. */
	boolean hasRemoved() {
		return this.operation == Operation.CANCEL && !this.answer.equals("NOT_FOUND");
	}

	boolean hasMoved() {
		return this.operation == Operation.RESCHEDULE && this.answer.equals("RESCHEDULED");
	}

	/** The earliest due time that the call may have set. */
	long firstDue() {
		return (this.dueMillis > 0) ? this.dueMillis : this.calledMillis + this.delayMillis;
	}

	@Override
	public String toString() {
		return "%s,%s,%s,%d,%s,%s,%d,%d,%d".formatted(this.operation, this.target.id(), this.target.group(),
				this.delayMillis, this.work, this.answer, this.calledMillis, this.answeredMillis, this.dueMillis);
	}

}
