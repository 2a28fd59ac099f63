package io.delayqueue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.HoldException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * Operations for operators: list, redrive and discard dead letters; pause, hold, drain
 * and purge queues. An application injects a bean of this type; the bean is thread-safe.
 * A caller may safely repeat a call of any method of this interface. Every method throws
 * the same exceptions as {@link DelayQueueOperations}.
 *
 * <p>
 * Redis stores whether a queue is paused, held or draining. A pause, a hold or a drain
 * applies to all processes, including processes that start later, until the pause, hold
 * or drain ends. A call changes the partitions of a queue one after the other: after an
 * exception some partitions may be changed already, and the caller should repeat the
 * call. A queue that this application neither names in its properties nor consumes, and
 * that no producer and no listener has ever used, is refused with
 * {@link InvalidMessageException}.
 */
public interface DelayQueueAdmin {

	/**
	 * Lists the dead letters of a queue. A walk over all pages returns no dead letter
	 * twice and misses no dead letter that exists throughout, regardless of concurrent
	 * changes.
	 * @param queue the queue
	 * @param from {@link DeadLetterPage#next()} of the previous page; {@code null} for
	 * the first page
	 * @param limit the most dead letters on the page, 1 to 1,000
	 * @return a page of dead letters
	 */
	DeadLetterPage deadLetters(String queue, @Nullable String from, int limit);

	/**
	 * Lists how messages of a queue have ended, the latest end first. The list is empty
	 * unless the queue keeps a history ({@code delayqueue.queues.<name>.history}). A walk
	 * over all pages returns the end of a message at most once, and misses no end that
	 * the history still has.
	 * @param queue the queue
	 * @param from {@link HistoryPage#next()} of the previous page; {@code null} for the
	 * first page
	 * @param limit the most messages on the page, 1 to 1,000
	 * @return a page of ended messages
	 */
	HistoryPage history(String queue, @Nullable String from, int limit);

	/**
	 * Finds the dead letter that a key identifies.
	 * @param key the message
	 * @return the dead letter; empty if the message is missing or is not a dead letter
	 */
	Optional<DeadLetter> deadLetter(MessageKey key);

	/**
	 * Redrives a dead letter: schedules the message to be due at once, with a failure
	 * count of 0 and without an expiry.
	 * @param key the message
	 * @return {@code false} if the message was not a dead letter, and nothing was written
	 * @throws QuotaExceededException if the group of the message has used up its quota;
	 * the message stays a dead letter
	 */
	boolean redrive(MessageKey key);

	/**
	 * Changes a dead letter and redrives it in one step: the message is due at once, with
	 * its new content, a failure count of 0 and without an expiry. All its attempts are
	 * left: attempts before the edit do not count. The message keeps its group, its own
	 * retry settings and the time of its creation.
	 *
	 * <p>
	 * A message with a new id is another message, which may be stored in another
	 * partition. The call first schedules it, and then removes the dead letter, which the
	 * history records as moved. After an exception both may exist; the caller should
	 * repeat the call with the same edit, which schedules no second message. If another
	 * operator redrives the dead letter in between, both are handled.
	 * @param key the message
	 * @param edit what to change
	 * @return the redriven message; empty if the message was not a dead letter, or
	 * another operator has redriven it at the same time, and nothing was written
	 * @throws InvalidMessageException if the new payload is larger than
	 * {@code max-payload-size}, or is not JSON although the present payload is, or the
	 * message would have more than 64 headers; nothing was written
	 * @throws DuplicateMessageException if a message with the new id exists; the message
	 * stays a dead letter
	 * @throws QueueDrainingException if the edit has a new id, and the queue is draining;
	 * the message stays a dead letter
	 * @throws QuotaExceededException if the group of the message has used up its quota;
	 * the message stays a dead letter
	 */
	Optional<EditedDeadLetter> redrive(MessageKey key, DeadLetterEdit edit);

	/**
	 * Redrives the selected dead letters: schedules them with a failure count of 0 and
	 * without an expiry. Dead letters that are added to a partition after the call has
	 * reached it are not redriven, even if the same call has redriven the message before
	 * it died again. A message whose group has used up its quota stays a dead letter.
	 * @param selection the dead letters to redrive, and the time over which their due
	 * times are spread
	 * @return the number of redriven messages
	 */
	int redrive(DeadLetterSelection selection);

	/**
	 * Removes a dead letter permanently.
	 * @param key the message
	 * @return {@code false} if the message was not a dead letter, and nothing was written
	 */
	boolean discard(MessageKey key);

	/**
	 * Removes the selected dead letters permanently. Dead letters that are added to a
	 * partition after the call has reached it are not removed.
	 * @param selection the dead letters of one queue to remove
	 * @return the number of removed dead letters
	 */
	int discard(DeadLetterSelection selection);

	/**
	 * Pauses a queue in all processes: no message of the queue is handled until
	 * {@link #resume}. A paused queue still accepts messages, which become overdue.
	 * Running handlers may finish, and consumers read no message after this call has
	 * returned. Until a process detects the pause, its handlers may still get messages
	 * that it read earlier. A process that receives hints (notifications through Redis)
	 * detects the pause at once. Any other process detects it at its next sweep, after
	 * {@code delayqueue.sweeper.interval}, or, if it does not sweep, at its next read.
	 * The process then releases the messages whose handling has not begun; a release does
	 * not count as an attempt.
	 * @param queue the queue
	 * @return the status of the queue; if the queue was paused already, with the time at
	 * which that pause began
	 */
	QueueStatus pause(String queue);

	/**
	 * Ends the pause of a queue: due messages are handled, the messages with the earliest
	 * due times first. Processes detect the end in the same way as a {@link #pause}. This
	 * method does nothing if the queue is not paused.
	 * @param queue the queue
	 * @return the status of the queue
	 */
	QueueStatus resume(String queue);

	/**
	 * Holds a queue: no message of the queue is handled in any process until a time.
	 * Unlike a pause, a hold ends by itself; a queue can be paused and held at the same
	 * time. A held queue still accepts messages. Running handlers may finish; consumers
	 * release messages whose handling has not begun, as after {@link #pause}. A message
	 * that expires during a hold is treated as expired when the hold ends. If the queue
	 * already has a hold that ends later, that hold stays: to hold the queue for a
	 * shorter time, first call {@link #release(String)}. A handler can also hold its
	 * queue, see {@link HoldException}.
	 * @param queue the queue
	 * @param until the end of the hold, by the clock of the Redis master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that is in force
	 * @throws InvalidMessageException if no process has used the queue, or {@code until}
	 * is not after now
	 */
	QueueHold hold(String queue, Instant until, String why);

	/**
	 * Holds a queue for a duration; otherwise the same as
	 * {@link #hold(String, Instant, String)}.
	 * @param queue the queue
	 * @param duration the length of the hold, more than 0, by the clock of the Redis
	 * master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that is in force, or one that had ended before Redis got it
	 * @throws InvalidMessageException if no process has used the queue, or the duration
	 * is not positive
	 */
	QueueHold hold(String queue, Duration duration, String why);

	/**
	 * Holds a group: no message of the group is handled until a time, while messages of
	 * other groups are handled. The description of {@link #hold(String, Instant, String)}
	 * also applies to the hold of a group. A group with strict order keeps its order.
	 * @param queue the queue
	 * @param group the group key; the group need not have messages
	 * @param until the end of the hold, by the clock of the Redis master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that is in force
	 * @throws InvalidMessageException if no process has used the queue, or {@code until}
	 * is not after now
	 */
	QueueHold hold(String queue, String group, Instant until, String why);

	/**
	 * Holds a group for a duration; otherwise the same as
	 * {@link #hold(String, String, Instant, String)}.
	 * @param queue the queue
	 * @param group the group key; the group need not have messages
	 * @param duration the length of the hold, more than 0, by the clock of the Redis
	 * master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that is in force, or one that had ended before Redis got it
	 * @throws InvalidMessageException if no process has used the queue, or the duration
	 * is not positive
	 */
	QueueHold hold(String queue, String group, Duration duration, String why);

	/**
	 * Ends the holds of a queue and of all its groups, whether a handler or an operator
	 * has set them. This method does nothing if neither the queue nor a group is held.
	 * @param queue the queue
	 */
	void release(String queue);

	/**
	 * Ends the hold of a group, whether a handler or an operator has set it. This method
	 * does nothing if the group is not held.
	 * @param queue the queue
	 * @param group the group key
	 */
	void release(String queue, String group);

	/**
	 * Lists the current holds of a queue and of its groups.
	 * @param queue the queue
	 * @return at most 1,000 holds: of the queue first, then of groups, ordered by end
	 */
	List<QueueHold> holds(String queue);

	/**
	 * Drains a queue: the queue accepts no new messages until {@link #reopen}. A call
	 * that schedules a message to a draining queue throws {@link QueueDrainingException},
	 * unless the call repeats a call that was accepted before. The messages of a draining
	 * queue are still delivered, retried and deferred, and can be rescheduled; its dead
	 * letters can be redriven.
	 * @param queue the queue
	 * @return the status of the queue; if the queue was draining already, with the time
	 * at which that draining began
	 */
	QueueStatus drain(String queue);

	/**
	 * Ends the draining of a queue: the queue accepts messages again. This method does
	 * nothing if the queue is not draining.
	 * @param queue the queue
	 * @return the status of the queue
	 */
	QueueStatus reopen(String queue);

	/**
	 * Sets a rate limit of a queue, which replaces the property {@code rate-limit} in all
	 * processes until {@link #clearRateLimit} is called. The new limit counts from the
	 * next call to Redis of each consumer. Messages that a consumer has read before are
	 * handled, and so are those for which it has already got permission: that is valid
	 * for 50 ms at most.
	 * @param queue the queue
	 * @param limit the new rate limit
	 * @return the limits of the queue
	 */
	QueueLimits limitRate(String queue, RateLimit limit);

	/**
	 * Removes a rate limit that {@link #limitRate} has set, so that the property
	 * {@code rate-limit} applies again, from the same time on as a new limit. This method
	 * does nothing if no limit was set.
	 * @param queue the queue
	 * @return the limits of the queue
	 */
	QueueLimits clearRateLimit(String queue);

	/**
	 * {@return the limits of a queue, which apply to all its consumers together}
	 * @param queue the queue
	 */
	QueueLimits limits(String queue);

	/**
	 * Changes the partition count of a queue, while its producers and consumers run.
	 * After about a second Redis stores new messages in the new partitions. Earlier
	 * messages stay in their partitions; an earlier partition count ends when its
	 * partitions are empty. New messages of a group go to an earlier partition that still
	 * has messages of the group. A new message without a group goes to an earlier
	 * partition that still has a message with the same id. This method does nothing if
	 * the queue has the requested partition count. A queue has at most two earlier
	 * partition counts at a time.
	 *
	 * <p>
	 * The property {@code partitions} also raises the partition count when a process
	 * starts, but only if its value is higher than all its values before: an unchanged
	 * property does not undo a call of this method.
	 * @param queue the queue, which a producer or a listener must have used before
	 * @param partitions the new partition count, 1 to 1,024
	 * @return the partition counts of the queue
	 * @throws RepartitionPendingException if the queue has two earlier partition counts
	 * already, or the last change has not been completed
	 * @throws InvalidMessageException if no process has used the queue, or the count is
	 * out of its bounds
	 */
	QueuePartitions repartition(String queue, int partitions);

	/**
	 * {@return whether a queue is paused, held or draining}
	 * @param queue the queue
	 */
	QueueStatus status(String queue);

	/**
	 * Removes all messages of a queue permanently, as if each message were cancelled, but
	 * keeps the dead letters and the next occurrence of each recurring schedule, so that
	 * the schedules go on. A message that is being handled is removed too: its handler
	 * may finish, and the message is not retried. A late repetition of the call that
	 * scheduled a removed message does not store the message again.
	 * <p>
	 * A message that is scheduled during the purge is either removed or kept, never in
	 * part. A message that changes its state during the purge may stay, unless the queue
	 * is paused. To keep new messages out, first drain the queue. The purge works in
	 * small steps, which do not block Redis; a failure does not undo them.
	 * @param queue the queue
	 * @return the number of removed messages
	 */
	PurgeResult purge(String queue);

	/**
	 * Removes all messages of a queue permanently, as {@link #purge} does, and also its
	 * dead letters. A message that is dead-lettered while the dead letters of its
	 * partition are being removed may stay.
	 * @param queue the queue
	 * @return the number of removed messages
	 */
	PurgeResult purgeWithDeadLetters(String queue);

}
