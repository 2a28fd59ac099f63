package io.delayqueue.soak;

/**
 * A state of an id in {@link PossibleStates}.
 *
 * @param location the location of its message
 * @param version the call that has stored it, 0 if there is none
 * @param firstDue the message is not due before this time, ms
 * @param lastDue the message is due by this time, ms
 * @param finished whether a message of that id has been handled
 * @param finishedElsewhere whether an older partition may remember that
 */
record IdState(Location location, int version, long firstDue, long lastDue, boolean finished,
		boolean finishedElsewhere) {

	enum Location {

		/** There is no message of that id. */
		ABSENT,

		/** The message is scheduled, ready or pending. */
		LIVE,

		/** The message is a dead letter. */
		DEAD

	}

	static final IdState NEW = new IdState(Location.ABSENT, 0, 0, 0, false, false);

	IdState absent(boolean nowFinished) {
		return new IdState(Location.ABSENT, 0, 0, 0, nowFinished || this.finished, false);
	}

	IdState dead() {
		return new IdState(Location.DEAD, this.version, this.firstDue, this.lastDue, this.finished,
				this.finishedElsewhere);
	}

	IdState due(long first, long last) {
		return new IdState(this.location, this.version, first, last, this.finished, this.finishedElsewhere);
	}

	/** Replaced where it is. */
	IdState stored(Call call) {
		return new IdState(Location.LIVE, call.number(), call.firstDue(), call.lastDue(), this.finished,
				this.finishedElsewhere);
	}

	/** Stored where new messages go. */
	IdState created(Call call, boolean changed) {
		return new IdState(Location.LIVE, call.number(), call.firstDue(), call.lastDue(), this.finished,
				this.finished && changed);
	}

	boolean isLive(int of) {
		return this.location == Location.LIVE && this.version == of;
	}

	boolean mayBeDue(long millis) {
		return this.firstDue <= millis && millis <= this.lastDue;
	}

}
