package io.delayqueue;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What an operator does with messages that were set aside, and with queues as a whole.
 * Inject this interface; the implementation is safe for use by several threads. Every
 * method may be repeated without harm and throws as {@link DelayQueueOperations} does.
 *
 * <p>
 * What is said of a queue as a whole is kept in Redis: it counts for all processes, also
 * for those that start later, until somebody takes it back. It is said to one partition
 * after the other; whoever gets an exception repeats the call. A queue that no producer
 * and no listener has ever used is refused with {@link InvalidMessageException}. When a
 * queue gets another partition count, which it can only while it is empty, repeat what
 * was said of it.
 */
public interface DelayQueueAdmin {

	/**
	 * Lists dead letters. Whoever follows the pages neither sees one twice nor misses one
	 * that stays, whatever comes and goes meanwhile.
	 * @param queue the queue
	 * @param from where to go on, as the last page said; {@code null} to begin
	 * @param limit the most dead letters of the page, 1 to 1,000
	 * @return a page
	 */
	DeadLetterPage deadLetters(String queue, @Nullable String from, int limit);

	/**
	 * Looks at one dead letter.
	 * @param key the message
	 * @return the dead letter, empty if the message is none
	 */
	Optional<DeadLetter> deadLetter(MessageKey key);

	/**
	 * Gives a dead letter another chance, at once, with no failures counted and without
	 * an expiry.
	 * @param key the message
	 * @return whether it was a dead letter
	 * @throws QuotaExceededException if its group is full; it stays a dead letter
	 */
	boolean redrive(MessageKey key);

	/**
	 * Gives dead letters another chance, with no failures counted and without an expiry.
	 * Those whose group is full stay dead letters. Each partition is gone through up to
	 * the dead letter that is its last one when the call comes to it: what dies after
	 * that stays, also if it has just been redriven.
	 * @param selection which ones, how many, and over how long to spread them
	 * @return how many were redriven
	 */
	int redrive(DeadLetterSelection selection);

	/**
	 * Removes a dead letter for good.
	 * @param key the message
	 * @return whether it was a dead letter
	 */
	boolean discard(MessageKey key);

	/**
	 * Removes dead letters for good. Each partition is gone through up to the dead letter
	 * that is its last one when the call comes to it: what dies after that stays.
	 * @param selection which ones and how many
	 * @return how many were removed
	 */
	int discard(DeadLetterSelection selection);

	/**
	 * Pauses a queue in all processes: nothing of it is handled until {@link #resume}.
	 * Messages are still accepted, and become overdue. Handlers that run may finish, and
	 * nothing is read once this call has returned. A message that a consumer had read
	 * before may still be handed to its handler, until that process has noticed: at once
	 * where it hears hints, else with its next sweep, after
	 * {@code delayqueue.sweeper.interval}; a process that does not sweep notices when it
	 * reads. Then what has not begun is given back without counting as an attempt.
	 * @param queue the queue
	 * @return its status; if it was paused already, since then
	 */
	QueueStatus pause(String queue);

	/**
	 * Ends a pause: what is due is handled, the oldest due first. Consumers notice at
	 * once where they hear hints, and at the latest after
	 * {@code delayqueue.sweeper.interval}. Does nothing if the queue is not paused.
	 * @param queue the queue
	 * @return its status
	 */
	QueueStatus resume(String queue);

	/**
	 * Lets a queue run empty: from now on nothing new is accepted, until {@link #reopen}.
	 * Who schedules gets a {@link QueueDrainingException}, unless it repeats a call that
	 * was accepted before. What the queue holds is delivered, with its retries and
	 * defers; it may be rescheduled, and dead letters may be redriven.
	 * @param queue the queue
	 * @return its status; if it was draining already, since then
	 */
	QueueStatus drain(String queue);

	/**
	 * Ends draining: messages are accepted again. Does nothing if the queue is not
	 * draining.
	 * @param queue the queue
	 * @return its status
	 */
	QueueStatus reopen(String queue);

	/**
	 * Tells whether a queue is paused or draining.
	 * @param queue the queue
	 * @return its status
	 */
	QueueStatus status(String queue);

	/**
	 * Removes all messages of a queue for good, as if each were cancelled, but not its
	 * dead letters. A message that is being handled is removed too: its handler may
	 * finish, and no retry follows. A late repeat of the call that scheduled a message
	 * does not bring it back.
	 * <p>
	 * A message that is scheduled meanwhile is removed or kept as a whole. One that moves
	 * between being scheduled and being handled at just that time may stay: pause the
	 * queue before to be certain, and drain it if there shall be no new ones. Works in
	 * small steps, so that Redis stays free for others; if it fails half-way, the rest is
	 * there.
	 * @param queue the queue
	 * @return how many messages were removed
	 */
	PurgeResult purge(String queue);

	/**
	 * Removes all messages of a queue for good, as {@link #purge} does, and its dead
	 * letters too. What dies while the dead letters of its partition are removed may
	 * stay.
	 * @param queue the queue
	 * @return how many messages were removed
	 */
	PurgeResult purgeWithDeadLetters(String queue);

}
