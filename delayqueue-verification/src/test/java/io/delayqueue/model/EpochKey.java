package io.delayqueue.model;

/**
 * The keys of an id in a place. A place is the partition of one epoch to which the id, or
 * its group, belongs.
 */
enum EpochKey {

	/** {@code messages}: the number of the call that stored the message, 0 for none. */
	RECORD(2),

	/** {@code scheduled}, {@code ready} or {@code parked}: it is delivered. */
	LIVE(1),

	/** {@code dead}. */
	DEAD(1),

	/** {@code groups}: the slot in the quota. */
	MEMBER(1),

	/** {@code groups}: the dead letter. */
	DEAD_MEMBER(1),

	/** {@code done}: the finished id. */
	DONE(1);

	static final int PLACES = 3;

	static final int IDS = 3;

	private static final int WIDTH = 7;

	private final int width;

	EpochKey(int width) {
		this.width = width;
	}

	int of(State state, int place, int id) {
		return bits(place, id).of(state);
	}

	boolean has(State state, int place, int id) {
		return of(state, place, id) != 0;
	}

	State set(State state, int place, int id, int value) {
		return bits(place, id).set(state, value);
	}

	/** Whether the place has this key of any id. */
	boolean hasAny(State state, int place) {
		return count(state, place) > 0;
	}

	/** Number of ids of which the place has this key. */
	int count(State state, int place) {
		int count = 0;
		for (int id = 0; id < IDS; id++) {
			count += has(state, place, id) ? 1 : 0;
		}
		return count;
	}

	private Bits bits(int place, int id) {
		int before = (this == RECORD) ? 0 : ordinal() + 1;
		return new Bits(0, WIDTH * (IDS * place + id) + before, this.width);
	}

}
