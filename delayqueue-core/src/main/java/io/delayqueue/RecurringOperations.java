package io.delayqueue;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Operations on recurring schedules: messages that are scheduled again and again, by a
 * cron expression or at an interval. Safe for use by several threads.
 *
 * <p>
 * Each occurrence is an ordinary message. A process that consumes the queue stores the
 * next occurrence when the instant of the last occurrence comes. Without a consumer there
 * are no further occurrences, and {@link MissedPolicy} decides about the instants that
 * pass meanwhile. However many processes store or advance a schedule, each instant has at
 * most one occurrence. Each method repeats its calls until Redis answers or the deadline
 * of the application's calls has passed, and then throws a {@link DelayQueueException}.
 */
public interface RecurringOperations {

	/**
	 * Stores a schedule, in place of an existing schedule with its key. If the existing
	 * schedule is paused, the new one is paused too.
	 * @param schedule the schedule
	 * @return whether the schedule was created, has replaced another schedule, or is
	 * stored already
	 * @throws InvalidMessageException if the schedule is incomplete, its payload cannot
	 * be written, or none of its instants is in the future
	 * @throws QueueDrainingException if the queue is draining
	 */
	RecurringResult createOrReplace(RecurringSchedule schedule);

	/**
	 * Pauses a schedule. The occurrence that was stored before its instant is removed if
	 * its delivery has not begun.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return whether the queue has the schedule, also if it was paused before
	 */
	boolean pause(String queue, String key);

	/**
	 * Ends the pause of a schedule. The next occurrence is that of the first instant from
	 * now on; a schedule without such an instant has ended and is removed.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return whether the queue has the schedule, also if it was not paused
	 */
	boolean resume(String queue, String key);

	/**
	 * Schedules one more occurrence, due now, with a generated id. The other occurrences
	 * do not change. Possible during a pause, too.
	 * @param queue the queue
	 * @param key the schedule's key
	 * @return the scheduled message; empty if there is no such schedule
	 * @throws QueueDrainingException if the queue is draining
	 * @throws QuotaExceededException if the group's quota is used up
	 */
	Optional<ScheduleResult> runNow(String queue, String key);

	/**
	 * Deletes a schedule, and its occurrence that was stored before its instant if the
	 * delivery of the occurrence has not begun.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return whether the queue had the schedule
	 */
	boolean delete(String queue, String key);

	/**
	 * Finds a schedule.
	 * @param queue the queue
	 * @param key the key of the schedule
	 * @return the schedule, empty if the queue has no schedule with this key
	 */
	Optional<RecurringSnapshot> get(String queue, String key);

	/**
	 * Lists the schedules of a queue. A schedule that exists while all pages are read is
	 * on at least one page, possibly on two.
	 * @param queue the queue
	 * @param cursor the cursor of the last page, {@code null} for the first page
	 * @param limit the approximate number of schedules of a page, 1 to 1,000
	 * @return the page
	 * @throws InvalidMessageException if the cursor or the limit is invalid
	 */
	RecurringPage list(String queue, @Nullable String cursor, int limit);

}
