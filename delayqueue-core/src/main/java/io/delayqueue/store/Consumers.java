package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;

/**
 * Lists the consumers of a partition, and how many pending messages each consumer holds.
 */
public final class Consumers {

	/** The most consumers in one list. */
	public static final int MOST = 100;

	private static final int IDLE_SAMPLE = 10;

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Consumers(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A consumer of a partition, as Redis reports it.
	 *
	 * @param name the name of the consumer, which contains host and process id
	 * @param pending the number of pending messages that the consumer holds
	 * @param silentMillis the time since the consumer last took a message or, from Redis
	 * 7.2 on, last tried to read, ms
	 * @param oldestIdleMillis the longest time since the consumer took or renewed any of
	 * its first 10 leases, ms; 0 if it holds no lease
	 */
	public record Holding(String name, long pending, long silentMillis, long oldestIdleMillis) {
	}

	/**
	 * Lists the consumers of a partition's consumer group. The list includes dead
	 * consumers until they are removed.
	 * @param partition the partition
	 * @return at most {@value #MOST} consumers, those with the most messages first
	 * @throws StoreException if Redis does not answer
	 */
	public List<Holding> of(Partition partition) {
		Reply reply = this.calls.run(StoreScript.CONSUMERS, partition, MOST, IDLE_SAMPLE);
		List<Holding> consumers = new ArrayList<>();
		for (int i = 1; i < reply.size(); i += 4) {
			consumers.add(new Holding(reply.text(i), reply.number(i + 1), reply.number(i + 2), reply.number(i + 3)));
		}
		return consumers;
	}

}
