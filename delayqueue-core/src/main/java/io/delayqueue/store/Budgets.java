package io.delayqueue.store;

import java.time.Duration;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * The budget of a queue with limits: the tokens of its rate and its permits in flight, in
 * one key, whatever the number of partitions. Each method is atomic, safe to repeat, and
 * throws {@link StoreException}.
 */
public final class Budgets {

	/** For how long the tokens of a grant are valid. */
	public static final Duration VALIDITY = Duration.ofMillis(50);

	private static final byte[] RATE = Reply.bytes("rate");

	private final RedisCalls calls;

	/**
	 * Creates the access.
	 * @param calls the way to Redis
	 */
	public Budgets(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * What a reader asks for.
	 *
	 * @param reader its name
	 * @param call the number of the call; a repeat has the same number
	 * @param inFlight how many of its messages are pending, or may be
	 * @param unused how many tokens of its last grant it has not used
	 * @param wanted how many messages it would read, 0 to return what is unused
	 * @param gone a silent reader whose messages are no longer pending, as a grant has
	 * named it; empty for none
	 */
	public record Demand(String reader, long call, int inFlight, int unused, int wanted, String gone) {
	}

	/**
	 * What a reader may do.
	 *
	 * @param isLimited whether the queue has limits
	 * @param nowMicros the time of Redis, us since 1970
	 * @param messages how many messages it may read
	 * @param retryAtMillis when there is a token for it, ms since 1970, 0 if that is
	 * unknown
	 * @param waiting a reader that has waited for permits, which are free now; empty for
	 * none
	 * @param silent a reader that holds permits although its lease has ended, followed by
	 * a bar and the number of its last call; empty for none
	 */
	public record Grant(boolean isLimited, long nowMicros, int messages, long retryAtMillis, String waiting,
			String silent) {
	}

	/**
	 * Asks for messages.
	 * @param queue the queue
	 * @param demand what the reader asks for
	 * @param settings the limits in the settings of this process
	 * @param lease for how long the permits of a silent reader are kept
	 * @return what it may read
	 */
	public Grant ask(String queue, Demand demand, FlowSettings settings, Duration lease) {
		RateLimit rate = settings.rateLimit();
		Reply reply = this.calls.run(StoreScript.GRANT, home(queue), demand.reader(), demand.call(), demand.inFlight(),
				demand.unused(), demand.wanted(), (rate != null) ? text(rate) : null, settings.maxInFlight(), VALIDITY,
				lease, demand.gone());
		return new Grant(!reply.is("unlimited"), reply.number(1), Math.toIntExact(reply.number(2)), reply.number(3),
				reply.text(4), reply.text(5));
	}

	/**
	 * Stores a rate limit that counts instead of those in the settings.
	 * @param queue the queue
	 * @param rate the limit, {@code null} to remove it
	 */
	public void rate(String queue, @Nullable RateLimit rate) {
		byte[] budget = this.calls.key(home(queue), Key.BUDGET);
		this.calls.<Object>command(home(queue), Key.BUDGET,
				(connection) -> (rate != null) ? connection.hashCommands().hSet(budget, RATE, Reply.bytes(text(rate)))
						: connection.hashCommands().hDel(budget, RATE));
	}

	/**
	 * The rate limit that is stored.
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

	private static String text(RateLimit rate) {
		return rate.messages() + "|" + rate.per().toMillis() + "|" + rate.burst();
	}

	/** The budget has the slot of the first partition, also when that has ended. */
	private static Partition home(String queue) {
		return new Partition(queue, 0);
	}

}
