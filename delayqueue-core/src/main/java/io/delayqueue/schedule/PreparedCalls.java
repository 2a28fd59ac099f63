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
 * Prepares calls of producers for an outbox, which makes the calls later, possibly in
 * another process and possibly several times. Each prepared call has a token by which the
 * scripts in Redis recognise a repeat of the call within a window of time; the window is
 * set when the call is prepared. Preparing a call does not call Redis. This class is
 * thread-safe.
 */
public final class PreparedCalls {

	private final DelayQueueTemplate template;

	PreparedCalls(DelayQueueTemplate template) {
		this.template = template;
	}

	/**
	 * Checks, customizes and serializes a message to schedule it later.
	 * @param request the message
	 * @param window for how long a repeated call must be recognised after the message has
	 * ended
	 * @return the prepared message
	 * @throws InvalidMessageException if the request is invalid
	 */
	public PreparedMessage prepare(ScheduleRequest request, Duration window) {
		return this.template.scheduling().prepare(request, window);
	}

	/**
	 * Checks, customizes and serializes several messages, under one tracing span, to
	 * schedule them later.
	 * @param requests the messages
	 * @param window for how long a repeated call must be recognised after a message has
	 * ended
	 * @return the prepared messages, in the order of the requests
	 * @throws InvalidMessageException if one of the requests is invalid
	 */
	public List<PreparedMessage> prepareAll(Collection<ScheduleRequest> requests, Duration window) {
		return this.template.scheduling().prepareAll(requests, window);
	}

	/**
	 * Checks a key and a delay with which a message will be rescheduled later.
	 * @param key the message
	 * @param delay the delay
	 * @return the new due time, in the form of {@link PreparedMessage#due()}
	 * @throws InvalidMessageException if an argument is invalid
	 */
	public String prepare(MessageKey key, Duration delay) {
		return this.template.checked(key, delay).toString();
	}

	/**
	 * Checks a key and a due time with which a message will be rescheduled later.
	 * @param key the message
	 * @param dueAt the new due time
	 * @return the new due time, in the form of {@link PreparedMessage#due()}
	 * @throws InvalidMessageException if an argument is invalid
	 */
	public String prepare(MessageKey key, Instant dueAt) {
		return this.template.checked(key, dueAt).toString();
	}

	/**
	 * Schedules prepared messages, of one or several queues.
	 * @param messages the messages
	 * @return one answer for each message, in the order of the messages
	 */
	public List<ScheduleAnswer> schedule(List<PreparedMessage.Since> messages) {
		return this.template.scheduling().send(messages);
	}

	/**
	 * Returns, without a call to Redis, the partition that {@link #cancel} and
	 * {@link #reschedule} call first.
	 * @param key the message
	 * @return the partition
	 */
	public Partition likeliest(MessageKey key) {
		return this.template.likeliest(key);
	}

	/**
	 * Cancels a message, with the token of a prepared call.
	 * @param key the message
	 * @param token the token of the prepared call, from {@link CallToken#lasting}
	 * @return the result
	 */
	public CancelResult cancel(MessageKey key, String token) {
		return this.template.cancel(key, token);
	}

	/**
	 * Moves a message to a new due time, with the token of a prepared call.
	 * @param key the message
	 * @param due the due time, in the form of {@link PreparedMessage#due()}
	 * @param sinceNanos the time from which a delay counts, by {@link System#nanoTime()}
	 * @param token the token of the prepared call, from {@link CallToken#lasting}
	 * @return the result
	 */
	public RescheduleResult reschedule(MessageKey key, String due, long sinceNanos, String token) {
		return this.template.reschedule(key, Due.of(due).since(sinceNanos), token);
	}

}
