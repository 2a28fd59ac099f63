package io.delayqueue.model;

import java.util.List;

/**
 * A process that carries dead letters: {@code Repartitioner.carry}.
 *
 * @param phase how far it is
 * @param from the place of the older epoch
 * @param to the place that is asked next
 * @param current the epoch that was current when it began
 * @param letters for each id the call that stored the dead letter, 2 bits each
 * @param left the ids that no place has taken, as a set
 * @param stays the ids that stay, as a set
 */
record EpochCarrier(Phase phase, int from, int to, int current, int letters, int left, int stays) {

	/** The most carriers. */
	static final int MOST = 2;

	static final int BITS = 20;

	private static final List<Phase> PHASES = List.of(Phase.values());

	static final EpochCarrier IDLE = new EpochCarrier(Phase.IDLE, 0, 0, 0, 0, 0, 0);

	/** The progress of a carrier. */
	enum Phase {

		IDLE,

		/** The carrier has read dead letters. */
		READ,

		/** Newer places have them. */
		COPIED,

		/** The older place does not have them any more. */
		REMOVED

	}

	/** A carrier that is about to read. */
	static EpochCarrier begin(int from, int current) {
		return new EpochCarrier(Phase.REMOVED, from, 0, current, 0, 0, 0);
	}

	static EpochCarrier of(State state, int number) {
		int bits = EpochPart.CARRIERS.of(state, number);
		return new EpochCarrier(PHASES.get(bits & 3), bits >> 2 & 3, bits >> 4 & 3, bits >> 6 & 3, bits >> 8 & 63,
				bits >> 14 & 7, bits >> 17);
	}

	State in(State state, int number) {
		return EpochPart.CARRIERS.set(state, number, this.phase.ordinal() | this.from << 2 | this.to << 4
				| this.current << 6 | this.letters << 8 | this.left << 14 | this.stays << 17);
	}

	/** The call that stored the dead letter, 0 if it does not carry one of the id. */
	int letter(int id) {
		return this.letters >> 2 * id & 3;
	}

	boolean has(int id) {
		return letter(id) != 0;
	}

	/** Whether a place has still to take the dead letter. */
	boolean isLeft(int id) {
		return (this.left >> id & 1) != 0;
	}

	boolean isStaying(int id) {
		return (this.stays >> id & 1) != 0;
	}

	/**
	 * The carrier after it has read dead letters and before the given place has answered.
	 */
	EpochCarrier read(int found, int first) {
		int ids = 0;
		for (int id = 0; id < EpochKey.IDS; id++) {
			ids |= ((found >> 2 * id & 3) != 0) ? 1 << id : 0;
		}
		return new EpochCarrier(Phase.READ, this.from, first, this.current, found, ids, this.stays);
	}

	/** The carrier after a place has answered. */
	EpochCarrier asked(int staying, int elsewhere) {
		return (elsewhere != 0)
				? new EpochCarrier(Phase.READ, this.from, this.to + 1, this.current, this.letters, elsewhere,
						this.stays | staying)
				: new EpochCarrier(Phase.COPIED, this.from, 0, this.current, this.letters, 0, this.stays | staying);
	}

	EpochCarrier removed() {
		return new EpochCarrier(Phase.REMOVED, this.from, 0, this.current, 0, 0, this.stays);
	}

}
