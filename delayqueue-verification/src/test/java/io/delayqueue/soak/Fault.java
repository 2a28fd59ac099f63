package io.delayqueue.soak;

import java.util.EnumSet;
import java.util.Set;

/** The faults of a soak. */
enum Fault {

	/** A worker is killed, and another one is started to replace it. */
	KILL_WORKER(40),

	/** Two workers are killed at once, unless only one may be down. */
	KILL_TWO_WORKERS(10),

	/** A worker is frozen for half a second or for two visibility timeouts. */
	FREEZE_WORKER(12),

	/**
	 * A worker is frozen for so long that the list of members does not have it any more.
	 */
	FREEZE_WORKER_LONG(3),

	/**
	 * A worker is killed that has many handlers at work which run for long:
	 * {@link FullWorkerKill}.
	 */
	KILL_FULL_WORKER(4),

	/**
	 * A worker is frozen for so long while a new version of the application is deployed:
	 * {@link Deployment}.
	 */
	FREEZE_WORKER_IN_DEPLOYMENT(3),

	/** Two workers are frozen at once, unless only one may be down. */
	FREEZE_TWO_WORKERS(5),

	/**
	 * A worker is frozen until a message that it holds runs elsewhere, and resumed during
	 * that run: the zombie meets the new owner.
	 */
	FREEZE_WORKER_UNTIL_REDELIVERED(3),

	/** Redis is killed and started again. */
	KILL_REDIS(10),

	/** All connections are cut. */
	CLIENT_KILL(8),

	/** Redis is frozen: commands sent meanwhile are executed later. */
	FREEZE_REDIS(7),

	/**
	 * Redis, or one master of a cluster, is frozen for much longer than calls wait for an
	 * answer.
	 */
	FREEZE_REDIS_LONG(3),

	/** The script cache of Redis is flushed. */
	SCRIPT_FLUSH(5),

	/** Redis accepts no commands for a while. */
	CLIENT_PAUSE(5),

	/** Redis is busy with another command. */
	DEBUG_SLEEP(4),

	/**
	 * Redis refuses all writes for one to two visibility timeouts, as with too few
	 * replicas. Costs no message an attempt or a crash.
	 */
	REFUSE_WRITES(4),

	/** Redis refuses the dead letters of a partition: {@link DeadLetterRefusal}. */
	REFUSE_DEAD_LETTERS(3),

	/** A right that settlements need for their last steps is revoked. */
	REFUSE_SETTLEMENTS(3),

	/**
	 * Redis refuses hints for three visibility timeouts: each process learns of a change
	 * at its next check.
	 */
	REFUSE_HINTS(3),

	/** The queue gets another partition count, unless two earlier ones have not ended. */
	REPARTITION(4),

	/**
	 * Redis is full for one to two visibility timeouts: it refuses new messages, but
	 * handles those that it has. Meanwhile the partition count of the queue changes.
	 */
	FILL_REDIS(3),

	/** An operator holds the limited queue or one of its groups for a while. */
	HOLD(8),

	/** A key that can be rebuilt from the records is deleted. */
	DAMAGE(3);

	/** The faults that need two workers that may be down at once. */
	static final Set<Fault> OF_TWO_WORKERS = EnumSet.of(KILL_TWO_WORKERS, FREEZE_TWO_WORKERS);

	private final int weight;

	Fault(int weight) {
		this.weight = weight;
	}

	/** Its relative frequency. */
	int weight() {
		return this.weight;
	}

}
