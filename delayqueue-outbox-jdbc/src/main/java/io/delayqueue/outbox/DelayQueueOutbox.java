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
 * Schedules, cancels and reschedules messages as part of a database transaction. Inject
 * this interface; the implementation is thread-safe.
 *
 * <p>
 * Guarantees:
 * <ul>
 * <li>A call writes one row in the transaction of the calling thread, by one statement,
 * and does nothing else. It does not call Redis. After a rollback, also to a savepoint,
 * nothing of the call remains.</li>
 * <li>After the commit a process sends every row to Redis, even if this process dies or
 * Redis is unavailable for long. A message is stored once, unless its row is sent again
 * later than {@code delayqueue.outbox.window} after the message has ended.</li>
 * <li>Rows with the same queue and id are sent in the order in which they were written.
 * The rows of overlapping transactions have a defined order only if these transactions
 * exclude each other before they call the outbox, for example by a lock on a row of the
 * application.</li>
 * <li>A delay counts from the call, by the clock of the database. A due time is an
 * instant by the clock of Redis, as in {@link DelayQueueOperations}.</li>
 * <li>No method returns the answer of Redis: a message that exceeds the quota of its
 * group, or whose id exists although the request does not permit it, becomes a failed
 * row, which {@link DelayQueueOutboxAdmin} shows. A message to cancel or to reschedule
 * that does not exist is no failure.</li>
 * </ul>
 *
 * <p>
 * Every method throws {@link InvalidMessageException} for an invalid argument, and
 * {@link IllegalTransactionStateException} without a transaction, in a read-only
 * transaction, and in a transaction of another data source than that of the outbox. Then
 * nothing is written.
 */
public interface DelayQueueOutbox {

	/**
	 * Schedules a payload for later, with a generated id.
	 * @param queue the queue
	 * @param payload the payload, written by the {@link PayloadConverter} at this call
	 * @param delay the delay from this call on
	 * @return the message's id
	 */
	default String schedule(String queue, Object payload, Duration delay) {
		return schedule(ScheduleRequest.to(queue).payload(payload).delay(delay));
	}

	/**
	 * Schedules a payload for an instant, with a generated id.
	 * @param queue the queue
	 * @param payload the payload, written by the {@link PayloadConverter} at this call
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
	 * Schedules many messages, in one batch of statements, one for each message. If a
	 * request is invalid, nothing is written.
	 * @param requests the messages, of one or several queues
	 * @return the ids, in the order of the requests
	 */
	List<String> scheduleAll(Collection<ScheduleRequest> requests);

	/**
	 * Cancels a message of any group.
	 * @param queue the queue
	 * @param id the message's id
	 */
	default void cancel(String queue, String id) {
		cancel(MessageKey.of(queue, id));
	}

	/**
	 * Cancels a message.
	 * @param key the message
	 */
	void cancel(MessageKey key);

	/**
	 * Moves a message of any group to a new due time.
	 * @param queue the queue
	 * @param id the message's id
	 * @param delay the delay from this call on
	 */
	default void reschedule(String queue, String id, Duration delay) {
		reschedule(MessageKey.of(queue, id), delay);
	}

	/**
	 * Moves a message of any group to a new due time.
	 * @param queue the queue
	 * @param id the message's id
	 * @param dueAt the new due time
	 */
	default void reschedule(String queue, String id, Instant dueAt) {
		reschedule(MessageKey.of(queue, id), dueAt);
	}

	/**
	 * Moves a message to a new due time.
	 * @param key the message
	 * @param delay the delay from this call on
	 */
	void reschedule(MessageKey key, Duration delay);

	/**
	 * Moves a message to a new due time.
	 * @param key the message
	 * @param dueAt the new due time
	 */
	void reschedule(MessageKey key, Instant dueAt);

}
