package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Decides how many messages the readers of a queue with limits may read. A reader is the
 * consumer of the queue in one process. Redis takes each grant from the tokens of the
 * queue's rate limit and from its permits for messages in flight. All partitions of the
 * queue share these tokens and permits. Each method is safe to repeat, and throws
 * {@link StoreException}.
 */
public final class Budgets {

	/**
	 * The longest time for which a grant is valid, unless reads arrive later than that:
	 * then it doubles, up to 16 times this time.
	 */
	public static final Duration VALIDITY = Duration.ofMillis(50);

	/** A reader that waits for a token asks again at least once a second. */
	private static final long RECENT_MICROS = TimeUnit.SECONDS.toMicros(2);

	private static final byte[] RATE = Reply.bytes("rate");

	private static final byte[] TURN = Reply.bytes("turn");

	private static final byte[] IN_FLIGHT = Reply.bytes("in-flight");

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Budgets(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * The demand of a reader (a consumer of the queue in one process).
	 *
	 * @param reader the name of the reader that asks
	 * @param call the number of the reader's call; a repeat of the call has the same
	 * number
	 * @param inFlight the number of the reader's messages that are pending, or may be
	 * pending
	 * @param unused the number of tokens of the reader's last grant that it has not used
	 * @param wanted the number of messages that the reader wants, 0 to return unused
	 * tokens
	 * @param gone another reader that an earlier grant has named as silent, and whose
	 * messages are no longer pending; empty for none
	 * @param lateReads the number of the reader's reads in a row that have reached Redis
	 * after the end of their grants; if there are any, the next grant is valid for the
	 * longest time
	 */
	public record Demand(String reader, long call, int inFlight, int unused, int wanted, String gone, int lateReads) {
	}

	/**
	 * The messages that Redis grants to a reader.
	 *
	 * @param isLimited whether the queue has limits
	 * @param isRated whether each message uses a token; if not, the reader may use the
	 * permit of a settled message for another message while the grant is valid
	 * @param nowMicros the time of Redis, us since 1970
	 * @param messages the number of messages that the reader may read
	 * @param validNanos how long the grant is valid, ns
	 * @param waitNanos when the reader asks again, ns from now, 0 if it waits for a
	 * permit
	 * @param waiting another reader to notify, because a permit for which it waits is
	 * free; empty for none
	 * @param silent another reader that holds permits although it has not called Redis
	 * for the time of the lease, followed by a bar and the number of its last call; empty
	 * for none
	 */
	public record Grant(boolean isLimited, boolean isRated, long nowMicros, int messages, long validNanos,
			long waitNanos, String waiting, String silent) {
	}

	/**
	 * Asks Redis how many messages a reader may read.
	 * @param queue the queue
	 * @param demand what the reader asks for
	 * @param settings the limits in the settings of this process
	 * @param lease the time for which the permits of a silent reader (one that does not
	 * call Redis) stay in use
	 * @return the grant
	 */
	public Grant ask(String queue, Demand demand, FlowSettings settings, Duration lease) {
		RateLimit rate = settings.rateLimit();
		Reply reply = this.calls.run(StoreScript.GRANT, home(queue), demand.reader(), demand.call(), demand.inFlight(),
				demand.unused(), demand.wanted(), (rate != null) ? text(rate) : null, settings.maxInFlight(), VALIDITY,
				lease, demand.gone(), demand.lateReads());
		return new Grant(!reply.is("unlimited"), reply.is("granted"), reply.number(1), Math.toIntExact(reply.number(2)),
				TimeUnit.MICROSECONDS.toNanos(reply.number(3)), TimeUnit.MICROSECONDS.toNanos(reply.number(4)),
				reply.text(5), reply.text(6));
	}

	/**
	 * Stores a rate limit of a queue, which replaces the rate limit in the settings of
	 * all processes. If the second of its two calls fails, readers that wait for a token
	 * may wait for up to a second more.
	 * @param queue the queue
	 * @param rate the limit, {@code null} to remove it
	 */
	public void rate(String queue, @Nullable RateLimit rate) {
		byte[] budget = this.calls.key(home(queue), Key.BUDGET);
		if (rate != null) {
			this.calls.command(home(queue), Key.BUDGET,
					(connection) -> connection.hashCommands().hSet(budget, RATE, Reply.bytes(text(rate))));
		}
		// Readers that wait for a token of the earlier rate do not wait any more
		this.calls.command(home(queue), Key.BUDGET, (connection) -> (rate != null)
				? connection.hashCommands().hDel(budget, TURN) : connection.hashCommands().hDel(budget, RATE, TURN));
	}

	/**
	 * Reads the stored rate limit of a queue.
	 * @param queue the queue
	 * @return the limit, {@code null} if none is stored
	 */
	public @Nullable RateLimit rate(String queue) {
		byte[] budget = this.calls.key(home(queue), Key.BUDGET);
		byte[] stored = this.calls.command(home(queue), Key.BUDGET,
				(connection) -> connection.hashCommands().hGet(budget, RATE));
		if (stored == null) {
			return null;
		}
		String[] parts = Reply.text(stored).split("\\|", -1);
		return new RateLimit(Integer.parseInt(parts[0]), Duration.ofMillis(Long.parseLong(parts[1])),
				Integer.parseInt(parts[2]));
	}

	/**
	 * Whether messages of a queue wait at the moment because of its limits.
	 * @param queue the queue
	 * @param maxInFlight the maximum number of messages of the queue that are pending at
	 * once, 0 for any number
	 * @param nowMicros the time of Redis, us since 1970
	 * @return {@code true} if a reader waits for a token, or has waited in the last 2
	 * seconds, or if all permits are in use
	 */
	public boolean isThrottled(String queue, int maxInFlight, long nowMicros) {
		byte[] budget = this.calls.key(home(queue), Key.BUDGET);
		List<byte[]> stored = this.calls.command(home(queue), Key.BUDGET,
				(connection) -> connection.hashCommands().hMGet(budget, TURN, IN_FLIGHT));
		return number(stored.get(0)) > nowMicros - RECENT_MICROS
				|| (maxInFlight > 0 && number(stored.get(1)) >= maxInFlight);
	}

	private static long number(byte @Nullable [] stored) {
		return (stored != null) ? Long.parseLong(Reply.text(stored)) : 0;
	}

	/**
	 * Whether a partition is in the cluster slot of the tokens and permits of its queue.
	 * @param partition the partition
	 * @return {@code true} if one Redis server has both
	 */
	public static boolean isHome(Partition partition) {
		return home(partition.queue()).equals(partition);
	}

	private static String text(RateLimit rate) {
		return rate.messages() + "|" + rate.per().toMillis() + "|" + rate.burst();
	}

	/**
	 * Returns the first partition of a queue. The keys with the queue's tokens and
	 * permits are in the cluster slot of this partition, even if the partition is not
	 * used any more.
	 */
	private static Partition home(String queue) {
		return new Partition(queue, 0);
	}

}
