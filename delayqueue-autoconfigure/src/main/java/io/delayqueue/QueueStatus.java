package io.delayqueue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What an operator has told a queue to do, as Redis keeps it.
 *
 * @param queue the queue
 * @param pausedSince since when it is paused, by the clock of the Redis master; of
 * several partitions the earliest; {@code null} if none is paused
 * @param drainingSince since when it accepts nothing, likewise; {@code null} if every
 * partition accepts
 */
public record QueueStatus(String queue, @Nullable Instant pausedSince, @Nullable Instant drainingSince) {

	/**
	 * Whether it is paused.
	 * @return {@code true} between {@link DelayQueueAdmin#pause} and
	 * {@link DelayQueueAdmin#resume}
	 */
	public boolean isPaused() {
		return this.pausedSince != null;
	}

	/**
	 * Whether it accepts nothing new.
	 * @return {@code true} between {@link DelayQueueAdmin#drain} and
	 * {@link DelayQueueAdmin#reopen}
	 */
	public boolean isDraining() {
		return this.drainingSince != null;
	}

}
