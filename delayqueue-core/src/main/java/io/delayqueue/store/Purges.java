package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/** Removes many messages of a partition for good (a purge). */
public final class Purges {

	/** The most messages that one call removes. */
	public static final int MOST = 100;

	private static final int BYTES = 256 * 1024;

	/**
	 * The index, in the reply, of the first stream entry of a message that a consumer
	 * held.
	 */
	private static final int HELD = 5;

	private final RedisCalls calls;

	private final HeldMessages held;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 * @param held receives the stream entries of messages that are removed while a
	 * consumer holds them
	 */
	public Purges(RedisCalls calls, HeldMessages held) {
		this.calls = calls;
		this.held = held;
	}

	/**
	 * The numbers of messages that one call has removed.
	 *
	 * @param processed the number of ids that the call has processed, beginning with the
	 * first one; fewer than given if the records are large
	 * @param waiting number of removed messages that no consumer held, without dead
	 * letters
	 * @param inFlight number of messages that were removed while a consumer held them:
	 * their handlers may finish, but no retry follows
	 * @param deadLetters number of removed dead letters
	 */
	public record Purged(int processed, int waiting, int inFlight, int deadLetters) {
	}

	/**
	 * Removes messages of a partition. Runs one atomic script, and is safe to repeat.
	 * @param partition the partition
	 * @param token the token of this call; a repeat of the call passes the same token
	 * @param window for how long Redis recognises a repeat of this call, or of the call
	 * that scheduled a message
	 * @param deadLetters whether to remove dead letters too
	 * @param isCancel whether the history calls the messages cancelled, not purged
	 * @param ids the ids and groups of 1 to {@value #MOST} messages
	 * @return the numbers of removed messages; the call has processed at least one id
	 * @throws StoreException if Redis does not answer
	 */
	public Purged purge(Partition partition, String token, Duration window, boolean deadLetters, boolean isCancel,
			List<StoredId> ids) {
		Reply reply = this.calls.run(StoreScript.PURGE, partition, token, window, deadLetters, BYTES,
				isCancel ? "C" : "P", this.calls.process(), ids);
		List<String> entries = IntStream.range(HELD, reply.size()).mapToObj(reply::text).toList();
		if (!entries.isEmpty()) {
			this.held.removed(partition, entries, Hint.Kind.CANCELLED);
		}
		return new Purged((int) reply.number(1), (int) reply.number(2), (int) reply.number(3), (int) reply.number(4));
	}

}
