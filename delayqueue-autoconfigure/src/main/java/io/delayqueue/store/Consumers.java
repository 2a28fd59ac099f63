package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells what each consumer of a partition holds.
 */
public final class Consumers {

	/** The most consumers that are told of. */
	public static final int MOST = 100;

	private static final int LOOK = 10;

	private final RedisCalls calls;

	/**
	 * Creates the side.
	 * @param calls the way to Redis
	 */
	public Consumers(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A consumer, as a partition knows it.
	 *
	 * @param name its name, which tells host and process
	 * @param pending how many messages it has
	 * @param silentMillis for how long it has neither taken a message nor, from Redis 7.2
	 * on, asked for one
	 * @param oldestIdleMillis the longest silence about a message that it has, of the
	 * first 10; 0 if it has none
	 */
	public record Holding(String name, long pending, long silentMillis, long oldestIdleMillis) {
	}

	/**
	 * Asks for the members of the consumer group, dead ones too until they are removed.
	 * @param partition the partition
	 * @return at most {@value #MOST}, those first that have most
	 * @throws StoreException if Redis does not answer
	 */
	public List<Holding> of(Partition partition) {
		Reply reply = this.calls.run(StoreScript.CONSUMERS, partition, Reply.bytes(MOST), Reply.bytes(LOOK));
		List<Holding> consumers = new ArrayList<>();
		for (int i = 0; i < reply.size(); i += 4) {
			consumers.add(new Holding(reply.text(i), reply.number(i + 1), reply.number(i + 2), reply.number(i + 3)));
		}
		return consumers;
	}

}
