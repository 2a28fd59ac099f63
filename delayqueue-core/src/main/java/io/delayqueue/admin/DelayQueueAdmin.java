package io.delayqueue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.HoldException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.RateLimit;
import org.jspecify.annotations.Nullable;

/**
 * Operations for operators: list, redrive and discard dead letters; pause, hold, drain
 * and purge queues. Inject this interface; the implementation is thread-safe. Every
 * method may safely be repeated, and throws the same exceptions as
 * {@link DelayQueueOperations}.
 *
 * <p>
 * Redis stores whether a queue is paused, held or draining. A pause, a hold or a drain
 * applies to all processes, including processes that start later, until it ends. The
 * partitions are changed one after the other: after an exception some partitions may be
 * changed already, and the caller should repeat the call. A queue that no producer and no
 * listener has ever used is refused with {@link InvalidMessageException}.
 */
public interface DelayQueueAdmin {

	/**
	 * Lists dead letters. A walk over all pages returns no dead letter twice and misses
	 * no dead letter that exists throughout, regardless of concurrent changes.
	 * @param queue the queue
	 * @param from {@link DeadLetterPage#next()} of the previous page; {@code null} for
	 * the first page
	 * @param limit the most dead letters of the page, 1 to 1,000
	 * @return a page
	 */
	DeadLetterPage deadLetters(String queue, @Nullable String from, int limit);

	/**
	 * Lists how messages have ended, the latest end first. The list is empty unless the
	 * queue keeps a history ({@code delayqueue.queues.<name>.history}). A walk over all
	 * pages returns no end twice and misses none that the history still has.
	 * @param queue the queue
	 * @param from {@link HistoryPage#next()} of the previous page; {@code null} for the
	 * first page
	 * @param limit the most messages of the page, 1 to 1,000
	 * @return a page
	 */
	HistoryPage history(String queue, @Nullable String from, int limit);

	/**
	 * Returns one dead letter.
	 * @param key the message
	 * @return the dead letter; empty if the queue has no such message, or if the message
	 * is not a dead letter
	 */
	Optional<DeadLetter> deadLetter(MessageKey key);

	/**
	 * Redrives a dead letter: schedules it to be due at once, with its failure count
	 * reset and without an expiry.
	 * @param key the message
	 * @return {@code false} if it was not a dead letter; then nothing was written
	 * @throws QuotaExceededException if the group of the message has used up its quota;
	 * the message stays a dead letter
	 */
	boolean redrive(MessageKey key);

	/**
	 * Redrives dead letters: schedules them with their failure count reset and without an
	 * expiry. A message whose group has used up its quota stays a dead letter. In each
	 * partition the call stops at the dead letter that is the last one when the call
	 * reaches the partition. Messages that are dead-lettered later stay dead letters,
	 * even if this call has just redriven them.
	 * @param selection the dead letters to redrive, and the time to spread them over
	 * @return the number of redriven messages
	 */
	int redrive(DeadLetterSelection selection);

	/**
	 * Removes a dead letter permanently.
	 * @param key the message
	 * @return {@code false} if it was not a dead letter; then nothing was written
	 */
	boolean discard(MessageKey key);

	/**
	 * Removes dead letters permanently. In each partition the call stops at the dead
	 * letter that is the last one when the call reaches the partition. Messages that are
	 * dead-lettered later stay.
	 * @param selection the dead letters to remove
	 * @return the number of removed dead letters
	 */
	int discard(DeadLetterSelection selection);

	/**
	 * Pauses a queue in all processes: no message of it is handled until {@link #resume}.
	 * Messages are still accepted, and become overdue. Running handlers may finish, and
	 * consumers read no message after this call has returned. A message that a consumer
	 * had read before may still be handed to its handler until the process detects the
	 * pause: at once where it receives hints, else at its next sweep, after {@code
	 * delayqueue.sweeper.interval}; a process that does not sweep detects a pause at its
	 * next read. The process then releases the messages whose handling has not begun; a
	 * release does not count as an attempt.
	 * @param queue the queue
	 * @return the status; if the queue was paused already, with the time of that pause
	 */
	QueueStatus pause(String queue);

	/**
	 * Ends a pause: due messages are handled, those with the earliest due time first.
	 * Consumers detect the end of a pause at once where they receive hints, and at the
	 * latest after {@code delayqueue.sweeper.interval}. Does nothing if the queue is not
	 * paused.
	 * @param queue the queue
	 * @return the status
	 */
	QueueStatus resume(String queue);

	/**
	 * Holds a queue: no message of it is handled until a time, in all processes. Unlike a
	 * pause, a hold ends by itself; a queue can be paused and held at the same time.
	 * Messages are still accepted. Running handlers may finish; messages that consumers
	 * have read and not begun go back, as with {@link #pause}. A message that expires
	 * meanwhile is treated as expired when the hold ends. If a hold of the queue ends
	 * later already, that hold stays: end it by {@link #release(String)} to hold for a
	 * shorter time. Handlers hold queues, too, see {@link HoldException}.
	 * @param queue the queue
	 * @param until the end, by the clock of the Redis master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that counts
	 * @throws InvalidMessageException if there is no such queue, or {@code until} is not
	 * after now
	 */
	QueueHold hold(String queue, Instant until, String why);

	/**
	 * Holds a queue for a time, as {@link #hold(String, Instant, String)} does.
	 * @param queue the queue
	 * @param duration how long from now, by the clock of the Redis master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that counts
	 * @throws InvalidMessageException if there is no such queue, or the duration is not
	 * positive
	 */
	QueueHold hold(String queue, Duration duration, String why);

	/**
	 * Holds a group: no message of it is handled until a time, while all others are
	 * handled. All that {@link #hold(String, Instant, String)} describes applies to the
	 * messages of the group. A group with strict order keeps its order.
	 * @param queue the queue
	 * @param group the group key, which need not have messages
	 * @param until the end, by the clock of the Redis master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that counts
	 * @throws InvalidMessageException if there is no such queue, or {@code until} is not
	 * after now
	 */
	QueueHold hold(String queue, String group, Instant until, String why);

	/**
	 * Holds a group for a time, as {@link #hold(String, String, Instant, String)} does.
	 * @param queue the queue
	 * @param group the group key, which need not have messages
	 * @param duration how long from now, by the clock of the Redis master
	 * @param why the reason, for operators; may be empty; cut at 500 characters
	 * @return the hold that counts
	 * @throws InvalidMessageException if there is no such queue, or the duration is not
	 * positive
	 */
	QueueHold hold(String queue, String group, Duration duration, String why);

	/**
	 * Ends the hold of a queue and those of all its groups, by handlers and by operators.
	 * Does nothing if nothing is held.
	 * @param queue the queue
	 */
	void release(String queue);

	/**
	 * Ends the hold of a group. Does nothing if the group is not held.
	 * @param queue the queue
	 * @param group the group key
	 */
	void release(String queue, String group);

	/**
	 * Lists the holds of a queue and of its groups that have not ended.
	 * @param queue the queue
	 * @return at most 1,000 holds, that of the queue first, then those of groups by their
	 * end
	 */
	List<QueueHold> holds(String queue);

	/**
	 * Drains a queue: it accepts no new messages until {@link #reopen}. A call that
	 * schedules a message throws {@link QueueDrainingException}, unless it repeats a call
	 * that was accepted before. Messages in the queue are still delivered, retried and
	 * deferred; they can be rescheduled, and dead letters can be redriven.
	 * @param queue the queue
	 * @return the status; if the queue was draining already, with the time since when
	 */
	QueueStatus drain(String queue);

	/**
	 * Ends draining: messages are accepted again. Does nothing if the queue is not
	 * draining.
	 * @param queue the queue
	 * @return the status
	 */
	QueueStatus reopen(String queue);

	/**
	 * Sets the rate limit of a queue in all processes, instead of the property
	 * {@code rate-limit}, until {@link #clearRateLimit}. Consumers apply the limit from
	 * their next call on.
	 * @param queue the queue
	 * @param limit the limit
	 * @return the limits
	 */
	QueueLimits limitRate(String queue, RateLimit limit);

	/**
	 * Removes a rate limit that {@link #limitRate} has set, so that the property
	 * {@code rate-limit} counts again. Does nothing if none is set.
	 * @param queue the queue
	 * @return the limits
	 */
	QueueLimits clearRateLimit(String queue);

	/**
	 * Returns the limits of a queue.
	 * @param queue the queue
	 * @return the limits
	 */
	QueueLimits limits(String queue);

	/**
	 * Changes the partition count of a queue, while its producers and consumers run. New
	 * messages go to the new partitions after about a second; those that wait are
	 * delivered from the earlier partitions, which end when they are empty. A message of
	 * a group, or with an id of the caller, goes to the earlier partition that has a
	 * message of this group, or of this id. Does nothing if the queue has this count. A
	 * queue has at most two earlier partition counts at a time.
	 *
	 * <p>
	 * The property {@code partitions} raises the count in the same way when a process
	 * starts, but only above the highest count that it has set before: after this call it
	 * neither lowers nor restores the count.
	 * @param queue the queue, which must have been used before
	 * @param partitions the new partition count, 1 to 1,024
	 * @return the partition counts of the queue
	 * @throws RepartitionPendingException if the queue has two earlier partition counts
	 * already, or the last change has not been completed
	 * @throws io.delayqueue.InvalidMessageException if there is no such queue, or the
	 * count is out of its bounds
	 * @throws io.delayqueue.DelayQueueException if Redis does not answer, or refuses
	 */
	QueuePartitions repartition(String queue, int partitions);

	/**
	 * Returns whether a queue is paused, held or draining.
	 * @param queue the queue
	 * @return the status
	 */
	QueueStatus status(String queue);

	/**
	 * Removes all messages of a queue permanently, as if each were cancelled, but keeps
	 * the dead letters. A message that is being handled is removed too: its handler may
	 * finish, and no retry follows. A late repetition of the call that scheduled a
	 * message does not restore it.
	 * <p>
	 * A message that is scheduled during the purge is either removed or kept, never in
	 * part. A message that changes its state during the purge may stay: pause the queue
	 * before the purge to rule this out, and drain the queue to keep new messages out.
	 * The purge works in small steps and does not block Redis; if it fails, the messages
	 * not yet removed remain.
	 * @param queue the queue
	 * @return the number of removed messages
	 */
	PurgeResult purge(String queue);

	/**
	 * Removes all messages of a queue permanently, as {@link #purge} does, and its dead
	 * letters too. A message that is dead-lettered while the dead letters of its
	 * partition are being removed may stay.
	 * @param queue the queue
	 * @return the number of removed messages
	 */
	PurgeResult purgeWithDeadLetters(String queue);

}
