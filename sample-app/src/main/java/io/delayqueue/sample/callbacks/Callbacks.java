package io.delayqueue.sample.callbacks;

import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.sample.callbacks.CallbackStatus.Status;
import io.delayqueue.sample.callbacks.CallbackStore.LastAnswer;
import io.delayqueue.sample.web.Problems;

import org.springframework.stereotype.Service;
import org.springframework.web.ErrorResponseException;

/** Starts, finds and redrives callbacks. */
@Service
final class Callbacks {

	static final String QUEUE = "callback";

	private static final int CALLS = 10;

	private final DelayQueueOperations delayQueue;

	private final DelayQueueAdmin admin;

	private final CallbackStore store;

	Callbacks(DelayQueueOperations delayQueue, DelayQueueAdmin admin, CallbackStore store) {
		this.delayQueue = delayQueue;
		this.admin = admin;
		this.store = store;
	}

	/**
	 * Starts a callback: stores its group, then schedules its message. If the method is
	 * interrupted between these two steps, the caller can repeat the request.
	 * @param callback the callback
	 * @param unit the unit of the waits between the calls to the partner
	 * @return the new callback
	 */
	CallbackStatus start(Callback callback, Duration unit) {
		if (this.store.find(callback.id()).filter(LastAnswer::isDelivered).isPresent()) {
			throw duplicate(callback.id());
		}
		ScheduleResult result = this.delayQueue.schedule(ScheduleRequest.to(QUEUE)
			.id(callback.id())
			.group(this.store.group(callback.id(), callback.group()))
			.payload(callback)
			.delay(Duration.ZERO)
			.maxAttempts(CALLS)
			.backOff(waits(unit)));
		if (!result.isAccepted()) {
			throw duplicate(callback.id());
		}
		return new CallbackStatus(callback.id(), Status.WAITING, 0, result.dueAt(), null);
	}

	/** Returns the waits between the calls to the partner: 1, 3, 5, ... units. */
	static BackOffPolicy waits(Duration unit) {
		return BackOffPolicy.delays(IntStream.range(1, CALLS).mapToObj((n) -> unit.multipliedBy(2 * n - 1)).toList());
	}

	/**
	 * Returns the status of a callback. The message is read first and the stored answer
	 * second: the listener stores the answer before the message is acknowledged, so the
	 * method finds the message or the answer of a successful call.
	 * @param id the callback's id
	 * @return the status of the callback
	 */
	CallbackStatus find(String id) {
		Optional<MessageSnapshot> message = this.delayQueue.find(key(id));
		LastAnswer last = this.store.find(id).orElseThrow(() -> unknown(id));
		if (last.isDelivered()) {
			return new CallbackStatus(id, Status.DELIVERED, last.attempt(), null, last.answer());
		}
		MessageSnapshot found = message.orElseThrow(() -> unknown(id));
		Status status = (found.state() == MessageState.DEAD) ? Status.ABNORMAL : Status.WAITING;
		return new CallbackStatus(id, status, found.attempts(), found.nextAttemptAt(), last.answer());
	}

	/**
	 * Redrives a dead-lettered callback: the partner is called up to ten more times.
	 * @param id the callback's id
	 * @return the new status of the callback
	 */
	CallbackStatus redrive(String id) {
		if (!this.admin.redrive(key(id))) {
			throw Problems.conflict("callback-not-abnormal", "Callback '" + id + "' is " + find(id).status());
		}
		return find(id);
	}

	private MessageKey key(String id) {
		LastAnswer last = this.store.find(id).orElseThrow(() -> unknown(id));
		return new MessageKey(QUEUE, id, last.group());
	}

	private static ErrorResponseException duplicate(String id) {
		return Problems.conflict("duplicate-callback", "Callback '" + id + "' exists already");
	}

	private static ErrorResponseException unknown(String id) {
		return Problems.notFound("unknown-callback", "There is no callback '" + id + "'");
	}

}
