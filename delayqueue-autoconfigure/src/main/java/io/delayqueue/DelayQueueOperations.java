package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What a producer does with delayed messages. Inject this interface; the implementation
 * is safe for use by several threads.
 *
 * <p>
 * Guarantees:
 * <ul>
 * <li>When {@code schedule} returns, Redis has the message. It is then handed to a
 * listener at least once and never before its due time, by the clock of the Redis
 * master.</li>
 * <li>{@code schedule} has three outcomes: it returns (accepted, or known already: see
 * {@link ScheduleResult#outcome()}); it throws and nothing was stored; or it throws
 * {@link ScheduleOutcomeUnknownException}, and repeating it <em>with the same id</em> is
 * safe. Calls are repeated inside the library, within the deadline
 * {@code delayqueue.schedule.deadline}, before any of that is said.</li>
 * <li>Every method may be repeated without harm.</li>
 * </ul>
 *
 * <p>
 * Every method throws {@link InvalidMessageException} for an argument that breaks a rule
 * (nothing is written), {@link DelayQueueUnavailableException} when Redis cannot be
 * reached within the deadline, and {@link RedisRefusedException} when Redis answers with
 * an error that needs a human. Those that schedule throw {@link QueueDrainingException}
 * while the queue accepts nothing, {@link QuotaExceededException} when the message's
 * group has no room, and {@link DuplicateMessageException} when a request says that an id
 * which is known shall fail (nothing is written).
 */
public interface DelayQueueOperations {

	/**
	 * Schedules a payload for later, with a generated id.
	 * @param queue the queue
	 * @param payload what the listener will receive, written as JSON
	 * @param delay how long to wait, from 0 (ready at once) to the queue's max-delay;
	 * rounded up to whole milliseconds
	 * @return the id and the due time
	 */
	default ScheduleResult schedule(String queue, Object payload, Duration delay) {
		return schedule(ScheduleRequest.to(queue).payload(payload).delay(delay));
	}

	/**
	 * Schedules a payload for an instant, with a generated id.
	 * @param queue the queue
	 * @param payload what the listener will receive, written as JSON
	 * @param dueAt when it is due, rounded up to whole milliseconds; an instant of the
	 * past is due at once
	 * @return the id and the due time
	 */
	default ScheduleResult schedule(String queue, Object payload, Instant dueAt) {
		return schedule(ScheduleRequest.to(queue).payload(payload).dueAt(dueAt));
	}

	/**
	 * Schedules one message.
	 * @param request the message
	 * @return whether it was stored, under which id, and when it is due
	 * @throws ScheduleOutcomeUnknownException if Redis may or may not have it: repeat
	 * with the id that the exception names
	 */
	ScheduleResult schedule(ScheduleRequest request);

	/**
	 * Schedules many messages, of one or several queues, in few round trips.
	 * <p>
	 * All requests are checked before anything is sent: a request that breaks a rule
	 * fails the whole call. After that each message has an answer of its own, because
	 * messages live in several partitions of which one may be out of reach.
	 * @param requests the messages
	 * @return one answer per request, in the order of the requests
	 */
	List<ScheduleAnswer> scheduleAll(Collection<ScheduleRequest> requests);

	/**
	 * Schedules a message when the current transaction has committed, and not at all if
	 * it rolls back. Without a transaction the message is scheduled at once.
	 * <p>
	 * The request is checked and its payload written at the call. A failure to schedule
	 * after the commit is thrown to the caller of the commit; the transaction stays
	 * committed. A process that dies between the commit and the scheduling loses the
	 * message: keep what must not be lost in the database too, and reconcile.
	 * @param request the message
	 * @return the message's id
	 */
	String scheduleAfterCommit(ScheduleRequest request);

	/**
	 * Cancels a message of any group. Where several groups have a message of that id, one
	 * of them is meant: say which with a {@link MessageKey}.
	 * @param queue the queue
	 * @param id the message's id
	 * @return what became of it
	 */
	default CancelResult cancel(String queue, String id) {
		return cancel(MessageKey.of(queue, id));
	}

	/**
	 * Cancels a message.
	 * @param key the message
	 * @return what became of it
	 */
	CancelResult cancel(MessageKey key);

	/**
	 * Moves a message of any group to a new due time, counted from now. Where several
	 * groups have a message of that id, one of them is meant: say which with a
	 * {@link MessageKey}.
	 * @param queue the queue
	 * @param id the message's id
	 * @param delay from 0 to the queue's max-delay
	 * @return what became of it
	 */
	default RescheduleResult reschedule(String queue, String id, Duration delay) {
		return reschedule(MessageKey.of(queue, id), delay);
	}

	/**
	 * Moves a message of any group to a new due time. Where several groups have a message
	 * of that id, one of them is meant: say which with a {@link MessageKey}.
	 * @param queue the queue
	 * @param id the message's id
	 * @param dueAt the new due time; an instant of the past is due at once
	 * @return what became of it
	 */
	default RescheduleResult reschedule(String queue, String id, Instant dueAt) {
		return reschedule(MessageKey.of(queue, id), dueAt);
	}

	/**
	 * Moves a message to a new due time, counted from now.
	 * @param key the message
	 * @param delay from 0 to the queue's max-delay
	 * @return what became of it
	 */
	RescheduleResult reschedule(MessageKey key, Duration delay);

	/**
	 * Moves a message to a new due time.
	 * @param key the message
	 * @param dueAt the new due time; an instant of the past is due at once
	 * @return what became of it
	 */
	RescheduleResult reschedule(MessageKey key, Instant dueAt);

	/**
	 * Looks up a message of any group. Where several groups have a message of that id,
	 * one of them is meant: say which with a {@link MessageKey}.
	 * @param queue the queue
	 * @param id the message's id
	 * @return the message as it is at this moment; empty if the queue does not know it
	 * (any more)
	 * @throws UnknownRecordException if another version of this library has stored the
	 * message in a form that this one does not know
	 */
	default Optional<MessageSnapshot> find(String queue, String id) {
		return find(MessageKey.of(queue, id));
	}

	/**
	 * Looks up a message.
	 * @param key the message
	 * @return the message as it is at this moment; empty if the queue does not know it
	 * (any more)
	 * @throws UnknownRecordException if another version of this library has stored the
	 * message in a form that this one does not know
	 */
	Optional<MessageSnapshot> find(MessageKey key);

	/**
	 * Counts the messages of a group.
	 * @param queue the queue
	 * @param group the group key
	 * @return how many are scheduled, parked, ready or pending at this moment; dead
	 * letters too if the queue counts them
	 */
	long countGroup(String queue, String group);

	/**
	 * Lists the messages of a group in the order in which they are due. Whoever follows
	 * the pages neither sees a message twice nor misses one that stays, whatever comes
	 * and goes meanwhile; one that is moved to another due time may be met there again.
	 * @param queue the queue
	 * @param group the group key
	 * @param cursor where to go on, as the last page said; {@code null} to begin
	 * @param limit the most messages of the page, 1 to 1,000
	 * @return a page
	 */
	GroupPage listGroup(String queue, String group, @Nullable String cursor, int limit);

	/**
	 * Cancels all messages of a group that are scheduled, parked, ready or pending.
	 * Messages that are scheduled to it meanwhile may stay.
	 * @param queue the queue
	 * @param group the group key
	 * @return how many were cancelled; if an answer of Redis was lost on the way, more
	 * may have been
	 */
	GroupCancelResult cancelGroup(String queue, String group);

}
