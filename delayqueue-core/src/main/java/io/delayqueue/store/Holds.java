package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Stores, lists and ends holds. Until a hold ends, the scripts deliver no message of the
 * held partition or group. Each method makes one or more calls to Redis, each of them
 * atomic. Each method is safe to repeat, and throws {@link StoreException}.
 */
public final class Holds {

	private static final int DIGITS = 16;

	private static final int PAGE = 500;

	private static final int PARTS = 3;

	private static final String SEPARATOR = "|";

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Holds(RedisCalls calls) {
		this.calls = calls;
	}

	/** Whether a hold was stored. */
	public enum Answer {

		/** The hold is stored, by this call or an earlier run of the call. */
		HELD,

		/** The hold was not stored, because a hold that ends later exists. */
		KEPT,

		/** The hold was not stored, because its end has passed. */
		PAST

	}

	/**
	 * The reply of Redis to a call that stores a hold.
	 *
	 * @param answer whether the hold was stored
	 * @param nowMicros the time of Redis, us since 1970
	 * @param beforeMillis the end of the hold before this call, ms since 1970, 0 if there
	 * was none
	 * @param current the hold that is stored after this call, {@code null} if there is
	 * none
	 */
	public record Held(Answer answer, long nowMicros, long beforeMillis, @Nullable QueueHold current) {
	}

	/**
	 * Stores a hold of a partition or a group, unless a hold that ends later exists.
	 * @param partition the partition
	 * @param hold the hold
	 * @return whether the hold was stored, and which hold is in effect
	 */
	public Held hold(Partition partition, QueueHold hold) {
		Reply reply = this.calls.run(StoreScript.HOLD, partition, field(hold.group()), hold.until().toEpochMilli(),
				about(hold));
		String current = reply.text(3);
		return new Held(reply.word(Answer.class, 0), reply.number(1), reply.number(2),
				current.isEmpty() ? null : hold(partition.queue(), hold.group(), current));
	}

	/**
	 * Ends the hold of a group.
	 * @param partition the partition of the group
	 * @param group the group key
	 */
	public void end(Partition partition, String group) {
		this.calls.run(StoreScript.END_HOLDS, partition, "group", group);
	}

	/**
	 * Ends the hold of a partition and the holds of its groups.
	 * @param partition the partition
	 */
	public void endAll(Partition partition) {
		long left = 1;
		while (left > 0) {
			left = this.calls.run(StoreScript.END_HOLDS, partition, "all", "").number(1);
		}
	}

	/**
	 * Lists the holds of a partition that have not ended.
	 * @param partition the partition
	 * @param most the number of holds after which to stop; the list may contain a few
	 * more
	 * @return the holds in no order; the hold of the whole partition is always among
	 * them, if there is one
	 */
	public List<QueueHold> of(Partition partition, int most) {
		Map<String, QueueHold> holds = new HashMap<>();
		String cursor = "0";
		do {
			Reply reply = this.calls.run(StoreScript.LIST_HOLDS, partition, cursor, PAGE);
			cursor = reply.text(2);
			for (int at = 3; at < reply.size(); at += 2) {
				String field = reply.text(at);
				holds.put(field, hold(partition.queue(), field.isEmpty() ? null : field, reply.text(at + 1)));
			}
		}
		while (!cursor.equals("0") && holds.size() < most);
		return new ArrayList<>(holds.values());
	}

	/**
	 * Reads the clock of a partition's server.
	 * @param partition the partition
	 * @return the time, us since 1970
	 */
	public long nowMicros(Partition partition) {
		return this.calls.run(StoreScript.LIST_HOLDS, partition, "0", 1).number(1);
	}

	/**
	 * Reads when the holds of some groups end.
	 * @param partition the partition
	 * @param groups 1 or more group keys
	 * @return group key -> end of the group's hold, ms since 1970, which may have passed;
	 * groups without a hold are missing
	 */
	public Map<String, Long> ends(Partition partition, List<String> groups) {
		byte[] holds = this.calls.key(partition, Key.HOLDS);
		List<byte[]> stored = this.calls.command(partition, Key.HOLDS, (connection) -> connection.hashCommands()
			.hMGet(holds, groups.stream().map(Reply::bytes).toArray(byte[][]::new)));
		if (stored == null || stored.size() != groups.size()) {
			throw new IllegalStateException("HMGET answered " + stored + ", which indicates a bug");
		}
		Map<String, Long> ends = new HashMap<>();
		for (int i = 0; i < groups.size(); i++) {
			byte[] hold = stored.get(i);
			if (hold != null) {
				ends.put(groups.get(i), Long.parseLong(Reply.text(hold).substring(0, DIGITS)));
			}
		}
		return ends;
	}

	/**
	 * Returns the hash field for the hold of a group, or for the hold of the whole
	 * partition.
	 */
	static String field(@Nullable String group) {
		return (group != null) ? group : "";
	}

	/** Returns a hold in the form that Redis stores. */
	static String text(QueueHold hold) {
		return String.format(Locale.ROOT, "%016d", hold.until().toEpochMilli()) + about(hold);
	}

	private static String about(QueueHold hold) {
		return String.join(SEPARATOR, hold.by().name().toLowerCase(Locale.ROOT), hold.process().replace(SEPARATOR, "/"),
				hold.why());
	}

	private static QueueHold hold(String queue, @Nullable String group, String stored) {
		String[] about = stored.substring(DIGITS).split("\\" + SEPARATOR, PARTS);
		return new QueueHold(queue, group, Instant.ofEpochMilli(Long.parseLong(stored.substring(0, DIGITS))),
				By.valueOf(about[0].toUpperCase(Locale.ROOT)), about[1], about[2]);
	}

}
