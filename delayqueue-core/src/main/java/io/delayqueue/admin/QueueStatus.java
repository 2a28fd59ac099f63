package io.delayqueue.admin;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The status of a queue in Redis: whether the queue is paused, draining or held.
 *
 * @param queue the queue
 * @param pausedSince the earliest time at which a partition was paused, by the clock of
 * the Redis master; {@code null} if no partition is paused
 * @param drainingSince the earliest time at which the draining of a partition began, by
 * the clock of the Redis master; {@code null} if no partition is draining
 * @param hold the hold of the whole queue, with the latest end that a partition has
 * stored; {@code null} if no partition is held
 */
public record QueueStatus(String queue, @Nullable Instant pausedSince, @Nullable Instant drainingSince,
		@Nullable QueueHold hold) {

	/**
	 * Returns whether the queue is paused.
	 * @return {@code true} between {@link DelayQueueAdmin#pause} and
	 * {@link DelayQueueAdmin#resume}
	 */
	public boolean isPaused() {
		return this.pausedSince != null;
	}

	/**
	 * Returns whether the queue is held.
	 * @return {@code true} while a hold of the whole queue has not ended
	 */
	public boolean isHeld() {
		return this.hold != null;
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
