package io.delayqueue.model;

/**
 * What a consumer knows of the one delivery it works on.
 *
 * @param phase how far it is
 * @param id the id
 * @param entry the delivered entry
 * @param label the message in the record that it read, 0 if there was none
 * @param pace whether its process stands or stood still
 */
record GroupWorker(Phase phase, int id, int entry, int label, Pace pace) {

	static final int BITS = 13;

	static final GroupWorker IDLE = new GroupWorker(Phase.IDLE, 0, 0, 0, Pace.STEADY);

	private static final Phase[] PHASES = Phase.values();

	private static final Pace[] PACES = Pace.values();

	/** How far a consumer is with its delivery; the last four are repeats. */
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

	/** Whether it settles what it has sent before. */
	boolean repeats() {
		return this.phase.ordinal() > Phase.DROPPING.ordinal();
	}

}
