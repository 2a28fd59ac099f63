package io.delayqueue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Whether a queue is paused or draining, as stored in Redis.
 *
 * @param queue the queue
 * @param pausedSince when the pause began, by the clock of the Redis master, the earliest
 * of all partitions; {@code null} if no partition is paused
 * @param drainingSince when the draining began, by the clock of the Redis master, the
 * earliest of all partitions; {@code null} if no partition is draining
 */
public record QueueStatus(String queue, @Nullable Instant pausedSince, @Nullable Instant drainingSince) {

	/**
	 * Returns whether the queue is paused.
	 * @return {@code true} between {@link DelayQueueAdmin#pause} and
	 * {@link DelayQueueAdmin#resume}
	 */
	public boolean isPaused() {
		return this.pausedSince != null;
	}

	/**
	 * Returns whether the queue is draining.
	 * @return {@code true} between {@link DelayQueueAdmin#drain} and
	 * {@link DelayQueueAdmin#reopen}
	 */
	public boolean isDraining() {
		return this.drainingSince != null;
	}

}
