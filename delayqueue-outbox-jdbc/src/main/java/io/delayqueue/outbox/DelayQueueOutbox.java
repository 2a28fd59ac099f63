package io.delayqueue.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.PayloadConverter;
import io.delayqueue.ScheduleRequest;

import org.springframework.transaction.IllegalTransactionStateException;

/**
 * Schedules, cancels and reschedules messages as part of a database transaction. An
 * application injects a bean of this type; the bean is thread-safe.
 *
 * <p>
 * Guarantees:
 * <ul>
 * <li>A call writes one row for each message in the transaction of the calling thread,
 * and does not call Redis. A rollback of the transaction, or a rollback to a savepoint
 * that was set before the call, removes the rows of the call.</li>
 * <li>After the commit of the transaction, a process of the application sends each row to
 * Redis. If the process of the caller dies, or Redis is unavailable for long, a process
 * sends the row later. A message is stored only once, unless a process sends its row
 * again when the message has been finished for longer than
 * {@code delayqueue.outbox.window}.</li>
 * <li>Rows with the same queue and id are sent in the order in which they were written.
 * The rows of overlapping transactions have a defined order only if these transactions
 * exclude each other before they call the outbox, for example by a lock on a row of the
 * application.</li>
 * <li>The delay of a message counts from the call of the outbox, by the clock of the
 * database. A due time is an instant by the clock of Redis, as in
 * {@link DelayQueueOperations}.</li>
 * <li>No method of this interface returns the answer of Redis. If Redis refuses the call
 * of a row, for example because the quota of a group is used up, or because the id of a
 * message to schedule belongs to a dead letter, to a message that is being handled or to
 * one that has just finished, the row becomes a failed row, which
 * {@link DelayQueueOutboxAdmin} shows. A call that changes nothing is logged and counted,
 * but is not a failure: it schedules a message that already waits, cancels or reschedules
 * one that does not exist, or reschedules one that is being handled.</li>
 * </ul>
 *
 * <p>
 * Every method of this interface throws {@link InvalidMessageException} for an invalid
 * argument. Every method throws {@link IllegalTransactionStateException} if the calling
 * thread has no transaction, a read-only transaction, a transaction of another data
 * source than the data source of the outbox, or a transaction that has been committed or
 * rolled back, as in an {@code afterCommit} callback or a
 * {@code @TransactionalEventListener}. A call that throws one of these exceptions writes
 * nothing.
 */
public interface DelayQueueOutbox {

	/**
	 * Schedules a payload with a delay and a generated id.
	 * @param queue the queue
	 * @param payload the payload, written by the {@link PayloadConverter} during the call
	 * @param delay the delay, counted from the call
	 * @return the message's id
	 */
	default String schedule(String queue, Object payload, Duration delay) {
		return schedule(ScheduleRequest.to(queue).payload(payload).delay(delay));
	}

	/**
	 * Schedules a payload for a due time, with a generated id.
	 * @param queue the queue
	 * @param payload the payload, written by the {@link PayloadConverter} during the call
	 * @param dueAt the due time
	 * @return the message's id
	 */
	default String schedule(String queue, Object payload, Instant dueAt) {
		return schedule(ScheduleRequest.to(queue).payload(payload).dueAt(dueAt));
	}

	/**
	 * Schedules one message.
	 * @param request the message
	 * @return the message's id
	 */
	String schedule(ScheduleRequest request);

	/**
	 * Schedules many messages with one batch of SQL statements, one statement for each
	 * message. If one of the requests is invalid, nothing is written.
	 * @param requests the messages, of one or several queues
	 * @return the ids, in the order of the requests
	 */
	List<String> scheduleAll(Collection<ScheduleRequest> requests);

	/**
	 * Cancels the message with the given id, whatever its group, after the commit of the
	 * transaction.
	 * @param queue the queue
	 * @param id the message's id
	 */
	default void cancel(String queue, String id) {
		cancel(MessageKey.of(queue, id));
	}

	/**
	 * Cancels the message that a key identifies, after the commit of the transaction.
	 * @param key the queue, the id and optionally the group of the message
	 */
	void cancel(MessageKey key);

	/**
	 * Moves the message with the given id, whatever its group, to a new due time: the
	 * time of the call plus a delay.
	 * @param queue the queue
	 * @param id the message's id
	 * @param delay the delay, counted from the call
	 */
	default void reschedule(String queue, String id, Duration delay) {
		reschedule(MessageKey.of(queue, id), delay);
	}

	/**
	 * Moves the message with the given id, whatever its group, to a new due time.
	 * @param queue the queue
	 * @param id the message's id
	 * @param dueAt the new due time
	 */
	default void reschedule(String queue, String id, Instant dueAt) {
		reschedule(MessageKey.of(queue, id), dueAt);
	}

	/**
	 * Moves a message to a new due time: the time of the call plus a delay.
	 * @param key the message
	 * @param delay the delay, counted from the call
	 */
	void reschedule(MessageKey key, Duration delay);

	/**
	 * Moves a message to a new due time.
	 * @param key the message
	 * @param dueAt the new due time
	 */
	void reschedule(MessageKey key, Instant dueAt);

}
