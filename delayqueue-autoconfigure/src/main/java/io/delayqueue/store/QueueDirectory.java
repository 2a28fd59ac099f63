package io.delayqueue.store;

import java.util.SortedMap;
import java.util.TreeMap;

import org.springframework.data.redis.core.RedisCallback;

/**
 * Knows each queue's partition count, as the first process that used the queue stored it.
 */
public final class QueueDirectory {

	private final RedisCalls calls;

	/**
	 * Creates the directory.
	 * @param calls the way to Redis
	 */
	public QueueDirectory(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Enters a queue, unless it is known.
	 * @param queue the queue
	 * @param partitions its partition count
	 * @return the count that is stored
	 * @throws StoreException if Redis does not answer
	 */
	public int enter(String queue, int partitions) {
		byte[] key = Reply.bytes(this.calls.keySpace().queues());
		byte[] field = Reply.bytes(queue);
		boolean isNew = Boolean.TRUE.equals(this.calls
			.command((connection) -> connection.hashCommands().hSetNX(key, field, Reply.bytes(partitions))));
		if (isNew) {
			return partitions;
		}
		byte[] stored = this.calls
			.command((RedisCallback<byte[]>) (connection) -> connection.hashCommands().hGet(key, field));
		return (stored != null) ? Integer.parseInt(Reply.text(stored)) : partitions;
	}

	/**
	 * All queues that have ever been used.
	 * @return each queue with its partition count, in the order of their names
	 * @throws StoreException if Redis does not answer
	 */
	public SortedMap<String, Integer> all() {
		byte[] key = Reply.bytes(this.calls.keySpace().queues());
		SortedMap<String, Integer> all = new TreeMap<>();
		var stored = this.calls.command((connection) -> connection.hashCommands().hGetAll(key));
		if (stored != null) {
			stored.forEach((queue, count) -> all.put(Reply.text(queue), Integer.parseInt(Reply.text(count))));
		}
		return all;
	}

}
