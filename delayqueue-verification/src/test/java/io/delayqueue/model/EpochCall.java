package io.delayqueue.model;

import java.util.List;
import java.util.Locale;

/**
 * A call of a producer on its way through the epochs.
 *
 * @param kind the operation
 * @param phase how far it is
 * @param id the id of the message
 * @param place the place of the epoch that it calls, or has called
 * @param view the epochs that its process has read, as a set of places
 * @param stored whether a message of the id was stored ever since the call began
 */
record EpochCall(Kind kind, Phase phase, int id, int place, int view, boolean stored) {

	/** The most calls. */
	static final int MOST = 3;

	static final int BITS = 13;

	private static final List<Kind> KINDS = List.of(Kind.values());

	private static final List<Phase> PHASES = List.of(Phase.values());

	/** The operations. */
	enum Kind {

		KEEP, REPLACE,

		/** Schedules with an id that was generated for the call. */
		NEW,

		CANCEL,

		/** Schedules as the first release does, which has no epochs. */
		OLD

	}

	/** The progress of a call. */
	enum Phase {

		UNBORN, ASKING,

		/** A closed place has answered that the message is elsewhere. */
		FOLLOWING,

		OVER

	}

	static EpochCall of(State state, int number) {
		int bits = EpochPart.CALL.of(state, number);
		return new EpochCall(KINDS.get(bits & 7), PHASES.get(bits >> 3 & 3), bits >> 5 & 3, bits >> 7 & 3,
				bits >> 9 & 7, (bits >> 12 & 1) != 0);
	}

	State in(State state, int number) {
		return EpochPart.CALL.set(state, number, this.kind.ordinal() | this.phase.ordinal() << 3 | this.id << 5
				| this.place << 7 | this.view << 9 | (this.stored ? 1 << 12 : 0));
	}

	boolean isOpen() {
		return this.phase == Phase.ASKING || this.phase == Phase.FOLLOWING;
	}

	/**
	 * Whether the process of the call has read a newer epoch than that of the called
	 * place.
	 */
	boolean knowsNewer() {
		return this.view >> this.place + 1 != 0;
	}

	EpochCall asks(int next) {
		return new EpochCall(this.kind, Phase.ASKING, this.id, next, this.view, this.stored);
	}

	EpochCall follows() {
		return new EpochCall(this.kind, Phase.FOLLOWING, this.id, this.place, this.view, this.stored);
	}

	/** The call after its process has read the epochs. */
	EpochCall knows(int epochs) {
		return new EpochCall(this.kind, this.phase, this.id, this.place, epochs, this.stored);
	}

	EpochCall missed() {
		return new EpochCall(this.kind, this.phase, this.id, this.place, this.view, false);
	}

	/** A copy of its request that arrives late can still run. */
	EpochCall over() {
		return new EpochCall(this.kind, Phase.OVER, this.id, 0, 0, false);
	}

	String words() {
		return this.kind.name().toLowerCase(Locale.ROOT) + " of " + name(this.id);
	}

	static String name(int id) {
		return Character.toString('a' + id);
	}

}
