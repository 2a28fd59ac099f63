package io.delayqueue.delivery;

/** The progress of a delivery in this process. */
enum Stage {

	/** No handler has the delivery. */
	UNSTARTED,

	/** A handler has the delivery. */
	HANDLING,

	/** The handler has timed out, and its later result does not count. */
	ABANDONED,

	/** The settlement of the delivery is decided and is sent to Redis. */
	SETTLING,

	/** Redis refuses the settlement, which the consumer repeats without a permit. */
	REFUSED,

	/** Redis has answered the settlement of the delivery. */
	SETTLED;

	/** Whether a delivery of this stage may enter the other one. */
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
