package io.delayqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Operations for producers: schedule, cancel, reschedule and find delayed messages. An
 * application injects a bean of this type; the bean is thread-safe.
 *
 * <p>
 * Guarantees:
 * <ul>
 * <li>When {@code schedule} has accepted a message ({@link ScheduleResult#isAccepted()}),
 * Redis has stored the message. A message that Redis has stored is handed to a listener
 * at least once, and never before its due time by the clock of the Redis master.</li>
 * <li>{@code schedule} has three outcomes: {@code schedule} returns (the message was
 * accepted, or its id exists already: see {@link ScheduleResult#outcome()});
 * {@code schedule} throws an exception and nothing was stored; or {@code schedule} throws
 * {@link ScheduleOutcomeUnknownException}, and the caller can safely repeat the call
 * <em>with the same id</em>. The library repeats failed calls itself, within the deadline
 * {@code delayqueue.schedule.deadline}, before it reports an outcome.</li>
 * <li>A caller may safely repeat a call of any method of this interface, but a call of
 * {@code schedule} only if the caller has set the id.</li>
 * </ul>
 *
 * <p>
 * Every method of this interface throws {@link InvalidMessageException} for an invalid
 * argument, {@link DelayQueueUnavailableException} when Redis does not answer within the
 * deadline, and {@link RedisRefusedException} when Redis answers with an error that an
 * operator has to fix. The methods that schedule also throw
 * {@link QueueDrainingException} while the queue is draining,
 * {@link QuotaExceededException} when the group of the message has used up its quota, and
 * {@link DuplicateMessageException} when the id exists already and the request has the
 * policy {@link DuplicatePolicy#fail()}. Nothing is written if an argument is invalid,
 * the queue is draining, the quota is used up, or the policy {@code fail()} meets an
 * existing id.
 */
public interface DelayQueueOperations {

	/**
	 * Schedules a payload with a delay and a generated id.
	 * @param queue the queue
	 * @param payload the payload, written by the {@link PayloadConverter}, by default as
	 * JSON
	 * @param delay the delay, from 0 (due at once) to the queue's {@code max-delay};
	 * rounded up to whole milliseconds
	 * @return the id and the due time of the message
	 */
	default ScheduleResult schedule(String queue, Object payload, Duration delay) {
		return schedule(ScheduleRequest.to(queue).payload(payload).delay(delay));
	}

	/**
	 * Schedules a payload for a due time, with a generated id.
	 * @param queue the queue
	 * @param payload the payload, written by the {@link PayloadConverter}, by default as
	 * JSON
	 * @param dueAt the due time, rounded up to whole milliseconds; an instant in the past
	 * is due at once
	 * @return the id and the due time of the message
	 */
	default ScheduleResult schedule(String queue, Object payload, Instant dueAt) {
		return schedule(ScheduleRequest.to(queue).payload(payload).dueAt(dueAt));
	}

	/**
	 * Schedules one message.
	 * @param request the message
	 * @return whether the message was stored, under which id, and when it is due
	 * @throws ScheduleOutcomeUnknownException if Redis may or may not have stored the
	 * message: repeat the call with the id that the exception contains
	 */
	ScheduleResult schedule(ScheduleRequest request);

	/**
	 * Schedules many messages, of one or several queues, in few round trips.
	 * <p>
	 * All requests are checked before anything is sent to Redis: one invalid request
	 * fails the whole call. If all requests are valid, the call returns a separate answer
	 * for each request, because the messages are stored in several partitions, and some
	 * partitions may be unavailable.
	 * @param requests the messages
	 * @return one answer for each request, in the order of the requests
	 */
	List<ScheduleAnswer> scheduleAll(Collection<ScheduleRequest> requests);

	/**
	 * Schedules a message after the current transaction of the caller has committed, and
	 * not at all if the transaction rolls back. Without a transaction the message is
	 * scheduled at once.
	 * <p>
	 * The call checks the request and converts its payload. After the commit all messages
	 * of the transaction are sent, also if some of them fail or an {@code afterCommit}
	 * callback of the application throws an exception. A failure is thrown to the caller
	 * of the commit; the transaction stays committed. If the transaction has one message,
	 * its failure is thrown; if it has several, a {@link ScheduleAfterCommitException}
	 * with the answer for each message. The failure of a message is logged instead if
	 * this method was called in an {@code afterCommit} callback, or if an exception of
	 * the application is thrown to the caller of the commit.
	 * <p>
	 * A rollback to a savepoint, for example of a nested transaction, drops the messages
	 * of the calls after the savepoint. If it is unknown whether the transaction has
	 * committed, its messages are not scheduled, and a warning names them. A transaction
	 * belongs to the calling thread; a reactive transaction is no transaction of the
	 * thread.
	 * <p>
	 * The message is lost if the process ends between the commit of the transaction and
	 * the scheduling. If a loss is not acceptable, the application should record the
	 * message in its database too, and schedule missing messages again from the database.
	 * @param request the message
	 * @return the message's id
	 */
	String scheduleAfterCommit(ScheduleRequest request);

	/**
	 * Cancels the message without a group, or of any group. {@link MessageKey} states
	 * which one if several messages have the id, and can specify the group.
	 * @param queue the queue
	 * @param id the message's id
	 * @return what was cancelled
	 */
	default CancelResult cancel(String queue, String id) {
		return cancel(MessageKey.of(queue, id));
	}

	/**
	 * Cancels the message that a key identifies.
	 * @param key the queue, the id and optionally the group of the message
	 * @return what was cancelled
	 */
	CancelResult cancel(MessageKey key);

	/**
	 * Moves the message without a group, or of any group, to a new due time: the time of
	 * the call plus a delay. {@link MessageKey} states which one if several messages have
	 * the id, and can specify the group.
	 * @param queue the queue
	 * @param id the message's id
	 * @param delay the delay, from 0 to the queue's {@code max-delay}
	 * @return the result
	 */
	default RescheduleResult reschedule(String queue, String id, Duration delay) {
		return reschedule(MessageKey.of(queue, id), delay);
	}

	/**
	 * Moves the message without a group, or of any group, to a new due time.
	 * {@link MessageKey} states which one if several messages have the id, and can
	 * specify the group.
	 * @param queue the queue
	 * @param id the message's id
	 * @param dueAt the new due time; an instant in the past is due at once
	 * @return the result
	 */
	default RescheduleResult reschedule(String queue, String id, Instant dueAt) {
		return reschedule(MessageKey.of(queue, id), dueAt);
	}

	/**
	 * Moves a message to a new due time: the time of the call plus a delay.
	 * @param key the message
	 * @param delay the delay, from 0 to the queue's {@code max-delay}
	 * @return the result
	 */
	RescheduleResult reschedule(MessageKey key, Duration delay);

	/**
	 * Moves a message to a new due time.
	 * @param key the message
	 * @param dueAt the new due time; an instant in the past is due at once
	 * @return the result
	 */
	RescheduleResult reschedule(MessageKey key, Instant dueAt);

	/**
	 * Finds the message without a group, or of any group. {@link MessageKey} states which
	 * one if several messages have the id, and can specify the group.
	 * @param queue the queue
	 * @param id the message's id
	 * @return the message at the moment of the call; if the message has ended and its
	 * queue keeps a history, the latest entry of the history about the message; empty if
	 * the queue does not have the message, or not any more
	 * @throws UnknownRecordException if the message is stored in a form that this version
	 * of the library does not support
	 */
	default Optional<MessageSnapshot> find(String queue, String id) {
		return find(MessageKey.of(queue, id));
	}

	/**
	 * Finds the message that a key identifies.
	 * @param key the queue, the id and optionally the group of the message
	 * @return the message at the moment of the call; if the message has ended and its
	 * queue keeps a history, the latest entry of the history about the message; empty if
	 * the queue does not have the message, or not any more
	 * @throws UnknownRecordException if the message is stored in a form that this version
	 * of the library does not support
	 */
	Optional<MessageSnapshot> find(MessageKey key);

	/**
	 * Counts the messages of a group.
	 * @param queue the queue
	 * @param group the group key
	 * @return the number of messages that are scheduled, parked, ready or pending at the
	 * moment of the call; dead letters are included if the queue has
	 * {@code group.count-dead}
	 */
	long countGroup(String queue, String group);

	/**
	 * Lists the messages of a group in the order of their due times. A walk over all
	 * pages returns no message twice and misses no message that exists throughout,
	 * regardless of concurrent changes; only a message that moves to another due time may
	 * be returned again, or missed.
	 * @param queue the queue
	 * @param group the group key
	 * @param cursor {@link GroupPage#next()} of the previous page; {@code null} for the
	 * first page
	 * @param limit the maximum number of messages on the page, 1 to 1,000
	 * @return a page of messages
	 */
	GroupPage listGroup(String queue, String group, @Nullable String cursor, int limit);

	/**
	 * Cancels all messages of a group that are scheduled, parked, ready or pending. The
	 * next occurrence of a recurring schedule of the group stays, so that the schedule
	 * goes on. Messages that another caller schedules during the call may stay.
	 * @param queue the queue
	 * @param group the group key
	 * @return the number of cancelled messages; the number may be too low if a reply of
	 * Redis was lost
	 */
	GroupCancelResult cancelGroup(String queue, String group);

}
