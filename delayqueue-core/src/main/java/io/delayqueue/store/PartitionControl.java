package io.delayqueue.store;

import java.util.List;
import java.util.Locale;

import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Reads and sets the switches of a partition, such as pause and drain. Redis stores a
 * switch until an operator or the application sets it again, even while processes
 * restart. Each method is atomic, is safe to repeat, and throws {@link StoreException}.
 */
public final class PartitionControl {

	private final RedisCalls calls;

	/**
	 * Creates the access to the switches.
	 * @param calls the access to Redis
	 */
	public PartitionControl(RedisCalls calls) {
		this.calls = calls;
	}

	/** The switches of a partition. The names are those in the scripts. */
	public enum Switch {

		/** The partition is paused: scripts move and deliver none of its messages. */
		PAUSED,

		/** The partition is draining: it accepts no new message. */
		DRAINING,

		/**
		 * The queue has a stored limit: scripts deliver messages only to a consumer with
		 * a grant.
		 */
		LIMITED;

		private byte[] field() {
			return Reply.bytes(name().toLowerCase(Locale.ROOT));
		}

	}

	/**
	 * The state of a partition's switches.
	 *
	 * @param pausedSinceMillis since when the partition is paused, ms since 1970, 0 if it
	 * is not
	 * @param drainingSinceMillis since when the partition accepts no new message, ms
	 * since 1970, 0 if it accepts messages
	 * @param limitedSinceMillis since when the queue has a stored limit, ms since 1970, 0
	 * if it has none
	 * @param visibilityTimeoutMillis the stored visibility timeout, ms; 0 if none is
	 * stored
	 * @param history the setting of the history in the form of {@link History#setting};
	 * empty if none is stored
	 */
	public record Setting(long pausedSinceMillis, long drainingSinceMillis, long limitedSinceMillis,
			long visibilityTimeoutMillis, String history) {
	}

	/**
	 * Turns a switch of a partition on or off. A switch that is already on keeps the time
	 * at which it was turned on.
	 * @param partition the partition
	 * @param which the switch
	 * @param on whether to turn the switch on
	 * @return the new state of the switches
	 */
	public Setting turn(Partition partition, Switch which, boolean on) {
		Reply reply = this.calls.run(StoreScript.CONTROL, partition, which.field(), on);
		return new Setting(reply.number(1), reply.number(2), reply.number(3), reply.number(4), reply.text(5));
	}

	/**
	 * Reads the switches of a partition.
	 * @param partition the partition
	 * @return the state of the switches
	 */
	public Setting of(Partition partition) {
		byte[] control = this.calls.key(partition, Key.CONTROL);
		List<byte[]> since = this.calls.command(partition, Key.CONTROL,
				(connection) -> connection.hashCommands()
					.hMGet(control, Switch.PAUSED.field(), Switch.DRAINING.field(), Switch.LIMITED.field(),
							Reply.bytes("visibility-timeout"), Reply.bytes("history")));
		if (since == null || since.size() != 5) {
			throw new IllegalStateException("HMGET answered " + since + ", which indicates a bug");
		}
		byte[] history = since.get(4);
		return new Setting(millis(since.get(0)), millis(since.get(1)), millis(since.get(2)), millis(since.get(3)),
				(history != null) ? Reply.text(history) : "");
	}

	private static long millis(byte @Nullable [] since) {
		return (since != null) ? Long.parseLong(Reply.text(since)) : 0;
	}

}
