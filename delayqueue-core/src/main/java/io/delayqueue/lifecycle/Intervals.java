package io.delayqueue.lifecycle;

import java.time.Duration;

/**
 * How often background tasks look at what other processes may have changed without a
 * signal. Shorter intervals cost calls to Redis; longer ones delay what a lost signal or
 * a killed process has left undone.
 *
 * @param declarations the time between two checks whether the members or the declared
 * recurring schedules have changed
 * @param declarationsOfOthers the time between two reads of the declarations of all
 * members while the members stay the same
 * @param declared the time after which a process stores its declared recurring schedules
 * again, in case other definitions are in Redis
 * @param recurring the longest time between two reads of the recurring schedules of an
 * owned partition; a new definition that is due earlier is also advanced by the process
 * that stores it
 * @param recurringOwner the time between two checks whether this process has become the
 * owner of a partition with recurring schedules, or whether a pause or a hold has ended
 * @param recurringMark the shortest time between two checks whether a queue still has
 * recurring schedules
 * @param epochs the time between two checks whether an older epoch of a queue is empty
 * @param takeOver the time after which another process continues a change of the
 * partition count that a process has begun but not completed
 * @param deadLetters the time between two checks for dead letters that move to a
 * dead-letter queue, and the first wait after a refused move
 * @param trends the time between two calls that add what a process has counted to the
 * trends of the queues
 */
public record Intervals(Duration declarations, Duration declarationsOfOthers, Duration declared, Duration recurring,
		Duration recurringOwner, Duration recurringMark, Duration epochs, Duration takeOver, Duration deadLetters,
		Duration trends) {

	/** The intervals of each engine, except in tests. */
	public static final Intervals DEFAULT = new Intervals(Duration.ofSeconds(2), Duration.ofSeconds(20),
			Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofMinutes(1),
			Duration.ofSeconds(15), Duration.ofSeconds(3), Duration.ofSeconds(5), Duration.ofSeconds(10));

}
