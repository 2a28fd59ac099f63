package io.delayqueue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import io.delayqueue.CancelResult;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.Due;

/**
 * Calls of producers that are prepared first and carried out later, possibly by another
 * process, and possibly several times: the base of an outbox. Each call has a lasting
 * token, by which scripts recognise a repeat for as long as the window that the call was
 * prepared with. Preparing a call does not call Redis. Thread-safe.
 */
public final class PreparedCalls {

	private final DelayQueueTemplate template;

	PreparedCalls(DelayQueueTemplate template) {
		this.template = template;
	}

	/**
	 * Checks, customizes and serializes a message.
	 * @param request the message
	 * @param window for how long a repeat must be recognised after the message has ended
	 * @return the message
	 * @throws InvalidMessageException if the request is invalid
	 */
	public PreparedMessage prepare(ScheduleRequest request, Duration window) {
		return this.template.scheduling().prepare(request, window);
	}

	/**
	 * Checks, customizes and serializes several messages, under one tracing span.
	 * @param requests the messages
	 * @param window for how long a repeat must be recognised after a message has ended
	 * @return the messages, in the order of the requests
	 * @throws InvalidMessageException if one of the requests is invalid
	 */
	public List<PreparedMessage> prepareAll(Collection<ScheduleRequest> requests, Duration window) {
		return this.template.scheduling().prepareAll(requests, window);
	}

	/**
	 * Checks the arguments of a reschedule.
	 * @param key the message
	 * @param delay the delay
	 * @return the new due time, in the form of {@link PreparedMessage#due()}
	 * @throws InvalidMessageException if an argument is invalid
	 */
	public String prepare(MessageKey key, Duration delay) {
		return this.template.checked(key, delay).toString();
	}

	/**
	 * Checks the arguments of a reschedule.
	 * @param key the message
	 * @param dueAt the new due time
	 * @return the new due time, in the form of {@link PreparedMessage#due()}
	 * @throws InvalidMessageException if an argument is invalid
	 */
	public String prepare(MessageKey key, Instant dueAt) {
		return this.template.checked(key, dueAt).toString();
	}

	/**
	 * Schedules messages, of one or several queues.
	 * @param messages the messages
	 * @param sinceNanos the time from which the delays of the messages count, by
	 * {@link System#nanoTime()}
	 * @return one answer for each message, in the order of the messages
	 */
	public List<ScheduleAnswer> schedule(List<PreparedMessage> messages, long sinceNanos) {
		return this.template.scheduling().send(messages, sinceNanos);
	}

	/**
	 * Returns the partition that {@link #cancel} and {@link #reschedule} call first,
	 * without a call to Redis.
	 * @param key the message
	 * @return the partition
	 */
	public Partition likeliest(MessageKey key) {
		return this.template.likeliest(key);
	}

	/**
	 * Cancels a message.
	 * @param key the message
	 * @param token the token of the call, {@link CallToken#lasting}
	 * @return the result
	 */
	public CancelResult cancel(MessageKey key, String token) {
		return this.template.cancel(key, token);
	}

	/**
	 * Moves a message to a new due time.
	 * @param key the message
	 * @param due the due time, in the form of {@link PreparedMessage#due()}
	 * @param passed the time since the call was prepared
	 * @param sinceNanos the time from which the rest of a delay counts, by
	 * {@link System#nanoTime()}
	 * @param token the token of the call, {@link CallToken#lasting}
	 * @return the result
	 */
	public RescheduleResult reschedule(MessageKey key, String due, Duration passed, long sinceNanos, String token) {
		return this.template.reschedule(key, Due.of(due).after(passed).since(sinceNanos), token);
	}

}
