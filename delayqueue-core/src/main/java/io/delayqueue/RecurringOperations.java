package io.delayqueue;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Recurring schedules: messages that are scheduled again and again, by a cron expression
 * or at an interval. Safe for use by several threads.
 *
 * <p>
 * Each occurrence is an ordinary message. The next one is stored when the instant of the
 * last one comes, by a process that consumes the queue: without a consumer there are no
 * further occurrences, and {@link MissedPolicy} decides about the instants that pass
 * meanwhile. However many processes store a definition or advance it, each instant has at
 * most one occurrence. Each method repeats its calls until Redis answers or the deadline
 * of the application's calls has passed, and then throws a {@link DelayQueueException}.
 */
public interface RecurringOperations {

	/**
	 * Stores a schedule, in place of another one with its key. A pause of that one stays.
	 * @param schedule the schedule
	 * @return whether it was created, or has replaced another one, or is stored already
	 * @throws InvalidMessageException if the schedule is incomplete, its payload cannot
	 * be written, or none of its instants is in the future
	 * @throws QueueDrainingException if the queue accepts nothing new
	 */
	RecurringResult createOrReplace(RecurringSchedule schedule);

	/**
	 * Pauses a schedule. The occurrence that is stored ahead is removed if it has not
	 * begun.
	 * @param queue the queue
	 * @param key its key
	 * @return whether there is such a schedule; {@code true} if it was paused before
	 */
	boolean pause(String queue, String key);

	/**
	 * Ends the pause of a schedule. Its next occurrence is that of the first instant from
	 * now on.
	 * @param queue the queue
	 * @param key its key
	 * @return whether there is such a schedule; {@code true} if it was not paused
	 */
	boolean resume(String queue, String key);

	/**
	 * Schedules one more occurrence, due now. It has a generated id, changes nothing
	 * else, and is possible during a pause.
	 * @param queue the queue
	 * @param key the schedule's key
	 * @return the scheduled message; empty if there is no such schedule
	 * @throws QueueDrainingException if the queue accepts nothing new
	 * @throws QuotaExceededException if the group's quota is used up
	 */
	Optional<ScheduleResult> runNow(String queue, String key);

	/**
	 * Deletes a schedule and the occurrence that is stored ahead, if that has not begun.
	 * @param queue the queue
	 * @param key its key
	 * @return whether there was such a schedule
	 */
	boolean delete(String queue, String key);

	/**
	 * Finds a schedule.
	 * @param queue the queue
	 * @param key its key
	 * @return the schedule, empty if there is none
	 */
	Optional<RecurringSnapshot> get(String queue, String key);

	/**
	 * Lists the schedules of a queue. A schedule that exists while all pages are read is
	 * on one of them, possibly on two.
	 * @param queue the queue
	 * @param cursor the cursor of the last page, {@code null} for the first page
	 * @param limit about how many schedules a page has, 1 to 1,000
	 * @return the page
	 * @throws InvalidMessageException if the cursor or the limit is invalid
	 */
	RecurringPage list(String queue, @Nullable String cursor, int limit);

}
