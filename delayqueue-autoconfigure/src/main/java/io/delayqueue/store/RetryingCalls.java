package io.delayqueue.store;

import java.time.Duration;
import java.util.Iterator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.MessageKey;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.CallRetry.Presence;
import org.jspecify.annotations.Nullable;

/**
 * Calls about messages that may be in any of several partitions, and calls about a
 * partition as a whole: repeated within a deadline, and with failures that a caller can
 * act on. Only for calls of which an unknown outcome is cleared up by repeating them.
 */
public final class RetryingCalls {

	private final Duration deadline;

	private final Presence redis;

	/**
	 * Creates inquiries.
	 * @param deadline for how long to repeat a call
	 * @param redis knows whether Redis is there
	 */
	public RetryingCalls(Duration deadline, Presence redis) {
		this.deadline = deadline;
		this.redis = redis;
	}

	/**
	 * Begins to count the time of a call, or of several with one deadline.
	 * @return the attempts
	 */
	public CallRetry begin() {
		return new CallRetry(this.deadline, this.redis);
	}

	/**
	 * Asks the partitions in which a message can be, until one knows it.
	 * @param key the message
	 * @param settings the queue's settings
	 * @param knows whether an answer means that the partition knows the message
	 * @param question the call
	 * @param <A> the type of the answer
	 * @return the answer of the partition that knows it, else the last one
	 * @throws DelayQueueException if there is no answer, or none that can be read
	 */
	public <A> A ask(MessageKey key, QueueSettings settings, Predicate<A> knows, Function<Partition, A> question) {
		CallRetry attempts = begin();
		Iterator<Partition> candidates = Partitioner.candidates(key, settings.partitions()).iterator();
		try {
			while (true) {
				Partition partition = candidates.next();
				A answer = attempts.call(() -> question.apply(partition));
				if (knows.test(answer) || !candidates.hasNext()) {
					return answer;
				}
			}
		}
		catch (CallRetry.Failed failed) {
			throw failure(failed, key.queue(), key.id());
		}
		catch (UnreadableRecordException unreadable) {
			throw new UnknownRecordException(key.queue(), key.id(), String.valueOf(unreadable.getMessage()),
					unreadable);
		}
	}

	/**
	 * Makes one call about a queue.
	 * @param queue the queue
	 * @param call the call
	 * @param <A> the type of the answer
	 * @return the answer
	 * @throws DelayQueueException if there is no answer
	 */
	public <A> A ask(String queue, Supplier<A> call) {
		try {
			return begin().call(call);
		}
		catch (CallRetry.Failed failed) {
			throw failure(failed, queue, null);
		}
	}

	private static DelayQueueException failure(CallRetry.Failed failed, String queue, @Nullable String id) {
		if (failed.isRefused()) {
			return new RedisRefusedException(failed.reason(), queue, id, failed.last());
		}
		String about = (id != null) ? "message '" + id + "' of queue '" + queue + "'" : "queue '" + queue + "'";
		return new DelayQueueUnavailableException("There is no answer about " + about + ": " + failed.reason(), queue,
				id, failed.last());
	}

}
