package io.delayqueue.delivery;

/** The progress of a delivery in this process. */
enum Stage {

	/** No handler has begun with the delivery. */
	UNSTARTED,

	/** A handler is working on the delivery. */
	HANDLING,

	/** The handler has timed out, and its later result does not count. */
	ABANDONED,

	/** The settlement of the delivery is decided and is sent to Redis. */
	SETTLING,

	/**
	 * Redis refuses the settlement of the delivery. The consumer repeats the settlement,
	 * and the delivery occupies no permit.
	 */
	REFUSED,

	/** Redis has answered the settlement of the delivery. */
	SETTLED;

	/** Whether a delivery in this stage may pass directly to the given stage. */
	boolean allows(Stage next) {
		return switch (this) {
			case UNSTARTED -> next == HANDLING || next == SETTLING;
			case HANDLING -> next == ABANDONED || next == SETTLING;
			case ABANDONED -> next == SETTLING;
			case SETTLING -> next == REFUSED || next == SETTLED;
			case REFUSED -> next == SETTLED;
			case SETTLED -> false;
		};
	}

}
