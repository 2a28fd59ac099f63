package io.delayqueue.soak;

/**
 * What may happen in a soak.
 */
enum Fault {

	/** A worker is killed, and another one started in its place. */
	KILL_WORKER(40),

	/** A worker stands still for half a second or for two visibility timeouts. */
	FREEZE_WORKER(12),

	/**
	 * A worker stands still until a message that it holds runs elsewhere, and goes on
	 * while it does: the zombie meets the new owner.
	 */
	FREEZE_WORKER_UNTIL_REDELIVERED(3),

	/** Redis is killed and started again. */
	KILL_REDIS(10),

	/** All connections are cut. */
	CLIENT_KILL(8),

	/** Redis stands still: what was sent is executed later. */
	FREEZE_REDIS(7),

	/** Redis forgets its scripts. */
	SCRIPT_FLUSH(5),

	/** Redis takes no commands for a while. */
	CLIENT_PAUSE(5),

	/** Redis is busy with something else. */
	DEBUG_SLEEP(4),

	/**
	 * Redis answers and refuses all writes, for one to two visibility timeouts: as when
	 * it has fewer replicas than it is to have. Costs no message an attempt or a crash.
	 */
	REFUSE_WRITES(4),

	/** Redis refuses the dead letters of a partition: {@link DeadLetterRefusal}. */
	REFUSE_DEAD_LETTERS(3),

	/** A right is taken away that all settlements need, and which comes last in them. */
	REFUSE_SETTLEMENTS(3),

	/** A key is deleted that can be built again from the records. */
	DAMAGE(3);

	private final int weight;

	Fault(int weight) {
		this.weight = weight;
	}

	/** How often it is drawn, in relation to the others. */
	int weight() {
		return this.weight;
	}

}
