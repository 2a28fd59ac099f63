package io.delayqueue;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Operations on recurring schedules: messages that are scheduled again and again, by a
 * cron expression or at an interval. Implementations are thread-safe.
 *
 * <p>
 * Each occurrence of a recurring schedule is an ordinary message. A process that consumes
 * the queue stores it when its instant comes; with {@link MissedPolicy#ALL} and
 * {@link OverlapPolicy#ALLOW} when the instant before it comes. While no process consumes
 * the queue, no further occurrences are stored; the {@link MissedPolicy} of a schedule
 * determines which instants of that time get an occurrence later. However many processes
 * store or advance a schedule, each instant has at most one occurrence. Each method of
 * this interface repeats a failed call to Redis until
 * {@code delayqueue.schedule.deadline} has passed, and then throws a
 * {@link DelayQueueException}.
 */
public interface RecurringOperations {

	/**
	 * Stores a recurring schedule, in place of an existing schedule with its key. If the
	 * existing schedule is paused, the new schedule is paused too.
	 * @param schedule the schedule
	 * @return whether the schedule was created, has replaced another schedule, or is
	 * stored already
	 * @throws InvalidMessageException if the schedule is incomplete, its payload cannot
	 * be written, or none of its instants is in the future
	 * @throws QueueDrainingException if the queue is draining
	 */
	RecurringResult createOrReplace(RecurringSchedule schedule);

	/**
	 * Pauses a recurring schedule. An occurrence that was stored before its instant is
	 * removed if its delivery has not begun.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return {@code true} if the queue has the schedule, also if the schedule was paused
	 * before
	 */
	boolean pause(String queue, String key);

	/**
	 * Ends the pause of a recurring schedule. The next occurrence is the occurrence of
	 * the first instant after the call; a schedule without such an instant has ended and
	 * is removed.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return {@code true} if the queue has the schedule, also if the schedule was not
	 * paused
	 */
	boolean resume(String queue, String key);

	/**
	 * Schedules one more occurrence of a recurring schedule, due at once, with a
	 * generated id. The other occurrences of the schedule do not change. A paused
	 * schedule can be run, too.
	 * @param queue the queue
	 * @param key the schedule's key
	 * @return the scheduled message; empty if the queue has no schedule with the key
	 * @throws QueueDrainingException if the queue is draining
	 * @throws QuotaExceededException if the group's quota is used up
	 * @throws ScheduleOutcomeUnknownException if it is unknown whether the occurrence was
	 * scheduled; a repeat of this call schedules another occurrence, so the caller should
	 * first look for the message with the id of the exception
	 */
	Optional<ScheduleResult> runNow(String queue, String key);

	/**
	 * Deletes a recurring schedule. An occurrence that was stored before its instant is
	 * removed if its delivery has not begun.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return {@code true} if the queue had the schedule
	 */
	boolean delete(String queue, String key);

	/**
	 * Finds a recurring schedule by its key.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return the schedule, empty if the queue has no schedule with this key
	 */
	Optional<RecurringSnapshot> get(String queue, String key);

	/**
	 * Lists the recurring schedules of a queue. A schedule that exists while a caller
	 * reads all pages is on at least one page, possibly on two.
	 * @param queue the queue
	 * @param cursor {@link RecurringPage#cursor()} of the previous page, {@code null} for
	 * the first page
	 * @param limit the approximate number of schedules on a page, 1 to 1,000
	 * @return the page
	 * @throws InvalidMessageException if the cursor or the limit is invalid
	 */
	RecurringPage list(String queue, @Nullable String cursor, int limit);

}
