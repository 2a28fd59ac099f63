package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.MessageKey;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.redis.CallRetry;
import io.delayqueue.redis.CallRetry.Presence;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Makes calls to Redis about a message that may be in one of several partitions, or about
 * a whole queue. Repeats failed calls until a deadline, then throws an exception that an
 * application can act on. Only for calls that are safe to repeat if their outcome is
 * unknown.
 */
public final class RetryingCalls {

	private final Duration deadline;

	private final Presence redis;

	private final QueueDirectory directory;

	private final DeadLetterCarrier carrier;

	/**
	 * Creates an instance that repeats failed calls.
	 * @param deadline the time for which to repeat a failed call
	 * @param redis records whether Redis is available
	 * @param directory the queues in Redis
	 * @param carrier moves dead letters that a call would change to a newer epoch
	 */
	public RetryingCalls(Duration deadline, Presence redis, QueueDirectory directory, DeadLetterCarrier carrier) {
		this.deadline = deadline;
		this.redis = redis;
		this.directory = directory;
		this.carrier = carrier;
	}

	/**
	 * Starts the deadline of one call, or of several calls together.
	 * @return an object that repeats calls until the deadline
	 */
	public CallRetry begin() {
		return new CallRetry(this.deadline, this.redis);
	}

	/**
	 * Makes a call to each partition that may have a message, one after the other, until
	 * a partition has the message. The call may be made to one partition twice: for a
	 * message without a group, then for one of any group.
	 * @param key the message
	 * @param settings the queue's settings
	 * @param holds tests whether an answer means that the partition has the message
	 * @param isElsewhere tests whether an answer means that a partition of a newer epoch
	 * may have the message
	 * @param call the call to the partition of a candidate
	 * @param <A> the type of the answer
	 * @return the answer of the partition that has the message; if none has it, the last
	 * answer
	 * @throws DelayQueueException if there is no answer, or the answer cannot be read
	 */
	public <A> A call(MessageKey key, QueueSettings settings, Predicate<A> holds, Predicate<A> isElsewhere,
			Function<Candidate, A> call) {
		CallRetry attempts = begin();
		try {
			Epochs epochs = attempts.call(() -> this.directory.find(settings));
			Deque<Candidate> candidates = new ArrayDeque<>(Partitioner.candidates(key, epochs));
			Set<Candidate> asked = new HashSet<>();
			while (true) {
				Candidate next = candidates.remove();
				asked.add(next);
				Partition partition = next.partition();
				A answer = attempts.call(() -> this.carrier.call(next, call));
				int newest = epochs.newest().number();
				if (holds.test(answer)) {
					return answer;
				}
				if (isElsewhere.test(answer) && partition.epoch() == newest) {
					epochs = attempts.call(() -> this.directory.refreshFrom(partition));
				}
				else if (candidates.isEmpty() && key.group() == null && GeneratedIds.partitionOf(key.id()) >= 0) {
					// A process may store messages with generated ids in a newer epoch
					// before the older partitions are closed, so the epochs are read
					// again
					Epochs known = epochs;
					epochs = attempts.call(() -> this.directory.refresh(known));
				}
				if (epochs.newest().number() > newest) {
					candidates.clear();
					candidates.addAll(Partitioner.candidates(key, epochs));
					candidates.removeAll(asked);
				}
				if (candidates.isEmpty()) {
					return answer;
				}
			}
		}
		catch (StoreException failed) {
			throw failure(failed, key.queue(), StoredId.of(key));
		}
		catch (UnreadableRecordException unreadable) {
			throw new UnknownRecordException(key.queue(), key.id(), String.valueOf(unreadable.getMessage()),
					unreadable);
		}
	}

	/**
	 * Makes one call that may change dead letters of a partition, and repeats the call if
	 * it fails.
	 * @param partition the partition
	 * @param ids the ids and groups of the dead letters
	 * @param call the call for those of the dead letters that can be changed, perhaps
	 * none
	 * @param <A> the type of the answer
	 * @return the answer of Redis
	 * @throws DelayQueueException if there is no answer
	 */
	public <A> A call(Partition partition, List<StoredId> ids, Function<List<StoredId>, A> call) {
		return call(partition.queue(), () -> this.carrier.call(partition, ids, call));
	}

	/**
	 * {@return the carrier of dead letters, for a caller that repeats its calls itself}
	 */
	public DeadLetterCarrier carrier() {
		return this.carrier;
	}

	/**
	 * Returns the partition that most likely has a message. Does not call Redis.
	 * @param key the message
	 * @param settings the queue's settings
	 * @return the message's partition in the current epoch, by the epochs that this
	 * process has read last
	 */
	public Partition likeliest(MessageKey key, QueueSettings settings) {
		return Partitioner.of(key, this.directory.cached(settings).current());
	}

	/**
	 * Makes one call to Redis about a queue, and repeats the call if it fails.
	 * @param queue the queue
	 * @param call the call
	 * @param <A> the type of the answer
	 * @return the answer of Redis
	 * @throws DelayQueueException if there is no answer
	 */
	public <A> A call(String queue, Supplier<A> call) {
		try {
			return begin().call(call);
		}
		catch (StoreException failed) {
			throw failure(failed, queue, null);
		}
	}

	private static DelayQueueException failure(StoreException failed, String queue, @Nullable StoredId message) {
		String id = (message != null) ? message.id() : null;
		String reason = String.valueOf(failed.getMessage());
		if (failed.kind() == FailureKind.REFUSED) {
			return new RedisRefusedException(reason, queue, id, failed);
		}
		String about = ((message != null) ? "message " + message + " of " : "") + "queue '" + queue + "'";
		return new DelayQueueUnavailableException("The call to Redis about " + about + " did not succeed: " + reason,
				queue, id, failed);
	}

}
