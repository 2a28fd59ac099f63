package io.delayqueue.model;

/**
 * The state that a consumer keeps about its current delivery.
 *
 * @param phase the progress of the delivery
 * @param id the id
 * @param entry the delivered entry
 * @param label the message in the record that was read, 0 if there was none
 * @param pace whether the process is or was frozen
 */
record GroupWorker(Phase phase, int id, int entry, int label, Pace pace) {

	static final int BITS = 13;

	static final GroupWorker IDLE = new GroupWorker(Phase.IDLE, 0, 0, 0, Pace.STEADY);

	private static final Phase[] PHASES = Phase.values();

	private static final Pace[] PACES = Pace.values();

	/** The progress of a delivery; the last four phases are repeats. */
	enum Phase {

		IDLE, WORKING, DROPPING, ACKNOWLEDGING, RETRYING, BURYING, RELEASING

	}

	/** Whether a process may have missed its heartbeats. */
	enum Pace {

		STEADY, FROZEN, THAWED

	}

	static GroupWorker of(int bits) {
		return new GroupWorker(PHASES[bits & 7], bits >> 3 & 3, bits >> 5 & 7, bits >> 8 & 7, PACES[bits >> 11]);
	}

	int toBits() {
		return this.phase.ordinal() | this.id << 3 | this.entry << 5 | this.label << 8 | this.pace.ordinal() << 11;
	}

	GroupWorker in(Phase phase) {
		return new GroupWorker(phase, this.id, this.entry, this.label, this.pace);
	}

	GroupWorker at(Pace pace) {
		return new GroupWorker(this.phase, this.id, this.entry, this.label, pace);
	}

	GroupWorker renamed(int entry, int label) {
		return new GroupWorker(this.phase, this.id, entry, label, this.pace);
	}

	boolean idle() {
		return this.phase == Phase.IDLE;
	}

	boolean frozen() {
		return this.pace == Pace.FROZEN;
	}

	/** Whether the consumer repeats a settlement. */
	boolean repeats() {
		return this.phase.ordinal() > Phase.DROPPING.ordinal();
	}

}
