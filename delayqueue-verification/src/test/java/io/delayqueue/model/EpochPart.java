package io.delayqueue.model;

/** The parts of a {@link State} of several epochs besides the {@link EpochKey keys}. */
enum EpochPart {

	/** {@code control} of a place: closed for a newer epoch. */
	CLOSED(new Bits(1, 0, 0), 1, EpochKey.PLACES),

	/** {@code control} of a place: its dead letters move to newer epochs. */
	CARRYING(CLOSED.last(), 1, EpochKey.PLACES),

	/** {@code done} of a place: calls whose messages have ended, as a set. */
	TOMBSTONES(CARRYING.last(), EpochCall.MOST, EpochKey.PLACES),

	/** The {@link EpochCall calls}. */
	CALL(TOMBSTONES.last(), EpochCall.BITS, EpochCall.MOST),

	/** {@code epochs}: the epochs after the first one that are current or older. */
	ADDED(CALL.last(), EpochKey.PLACES, 1),

	/** {@code epochs}: the epochs that have ended. */
	DROPPED(ADDED.last(), EpochKey.PLACES, 1),

	/** The {@link EpochCarrier carriers}. */
	CARRIERS(new Bits(2, 0, 0), EpochCarrier.BITS, EpochCarrier.MOST),

	/** A copy of a request that arrives after its answer: its call and place, or 0. */
	COPY(CARRIERS.last(), 5, 1),

	/** {@code epochs}: the announced epoch, or 0. */
	ANNOUNCED(COPY.last(), 2, 1),

	/** 1 once old releases are refused, 2 once dead letters have their members. */
	PREPARED(ANNOUNCED.last(), 2, 1),

	/** Observer: calls whose message was stored. */
	STORED(PREPARED.last(), EpochCall.MOST, 1),

	/** Observer: calls whose message was handled, or ended on request. */
	FINISHED(STORED.last(), EpochCall.MOST, 1),

	/** Number of calls begun. */
	CALLS(FINISHED.last(), 2, 1),

	/** Number of dead letters that were redriven. */
	REDRIVES(CALLS.last(), 2, 1),

	/** Number of lost answers and late copies. */
	FAULTS(REDRIVES.last(), 2, 1),

	/** Number of scripts that stopped half-way. */
	STOPS(FAULTS.last(), 2, 1);

	private final Bits[] bits;

	EpochPart(Bits after, int width, int count) {
		this.bits = new Bits[count];
		for (int i = 0; i < count; i++) {
			this.bits[i] = ((i == 0) ? after : this.bits[i - 1]).next(width);
		}
	}

	private Bits last() {
		return this.bits[this.bits.length - 1];
	}

	int of(State state) {
		return of(state, 0);
	}

	int of(State state, int index) {
		return this.bits[index].of(state);
	}

	boolean has(State state, int set) {
		return (of(state) & set) != 0;
	}

	State set(State state, int value) {
		return set(state, 0, value);
	}

	State set(State state, int index, int value) {
		return this.bits[index].set(state, value);
	}

	State plus(State state, int set) {
		return plus(state, 0, set);
	}

	State plus(State state, int index, int set) {
		return set(state, index, of(state, index) | set);
	}

	State counted(State state) {
		return set(state, of(state) + 1);
	}

	/** The epochs of which messages are stored, as a set of places. */
	static int usable(State state) {
		return (1 | ADDED.of(state)) & ~DROPPED.of(state);
	}

	/**
	 * The epochs that consumers read: those of which messages are stored, and the
	 * announced one.
	 */
	static int consumed(State state) {
		int announced = ANNOUNCED.of(state);
		return usable(state) | ((announced != 0) ? 1 << announced : 0);
	}

	/** The epoch of new messages. */
	static int current(State state) {
		return newest(usable(state));
	}

	static int newest(int places) {
		return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(places);
	}

	static int oldest(int places) {
		return Integer.numberOfTrailingZeros(places);
	}

}
