package io.delayqueue.sample.pushes;

import java.time.Instant;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.sample.web.Problems;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.stereotype.Service;
import org.springframework.web.ErrorResponseException;

/** Sets, finds and deletes pushes. */
@Service
final class Pushes {

	static final String QUEUE = "push";

	private static final Logger logger = LoggerFactory.getLogger(Pushes.class);

	private final PushStore store;

	private final DelayQueueOperations delayQueue;

	Pushes(PushStore store, DelayQueueOperations delayQueue) {
		this.store = store;
		this.delayQueue = delayQueue;
	}

	/**
	 * Sets a push, in three steps:
	 * <ol>
	 * <li>the push is stored as a draft, which is invisible to callers and expires after
	 * 10 minutes;</li>
	 * <li>the message of the push is scheduled;</li>
	 * <li>the draft is confirmed.</li>
	 * </ol>
	 * An interrupted call leaves no permanent data, and a repeat of the call begins with
	 * a new draft. Of two concurrent calls for the same id the later draft replaces the
	 * earlier draft, and the earlier call fails with a conflict.
	 * @param push the push
	 */
	void set(Push push) {
		if (!this.store.draft(push)) {
			throw duplicate(push.id());
		}
		this.delayQueue.schedule(ScheduleRequest.to(QUEUE)
			.id(push.messageId())
			.payload(new PushDue(push.id()))
			.dueAt(push.at().isBefore(Instant.EPOCH) ? Instant.EPOCH : push.at()));
		if (!this.store.confirm(push)) {
			cancelMessage(push);
			throw duplicate(push.id());
		}
	}

	Push find(String id) {
		return this.store.find(id)
			.orElseThrow(() -> Problems.notFound("unknown-push", "There is no push '" + id + "'"));
	}

	void delete(String id) {
		Push push = find(id);
		if (!this.store.remove(push)) {
			throw Problems.conflict("push-delivered", "Push '" + id + "' was delivered already");
		}
		cancelMessage(push);
	}

	/**
	 * Cancels the message of a push. If the cancel fails, the message is delivered, and
	 * the listener finds that the push no longer exists.
	 */
	private void cancelMessage(Push push) {
		try {
			this.delayQueue.cancel(QUEUE, push.messageId());
		}
		catch (DelayQueueException ex) {
			logger.warn("A message of push '{}' stays scheduled and will have no effect: {}", push.id(), ex.toString());
		}
	}

	private static ErrorResponseException duplicate(String id) {
		return Problems.conflict("duplicate-push", "Push '" + id + "' exists already");
	}

}
