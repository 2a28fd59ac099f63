package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.delayqueue.MessageEnd;
import io.delayqueue.MessageEnd.How;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Lists how the messages of a partition have ended. The scripts that acknowledge, remove
 * or dead-letter messages write this history if the key {@code control} has a setting for
 * the history. Each method runs one atomic script, is safe to repeat, and throws
 * {@link StoreException}.
 */
public final class History {

	/** The maximum number of ended messages on one page. */
	public static final int MOST = 1000;

	/** The setting of a partition that keeps no history. */
	static final String OFF = "off";

	/** The script argument that leaves the stored setting of a partition as it is. */
	static final String UNCHANGED = "";

	/**
	 * Number of values that the history stores for one ended message: id with group, how
	 * it ended and for how long its last handler ran, attempts, where it ended, last
	 * failure.
	 */
	private static final int PARTS = 5;

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public History(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Returns the setting of the history, in the form that the key {@code control}
	 * stores.
	 * @param settings the settings of the queue
	 * @param partitions the partition count of the queue's epoch
	 * @return {@code ms|ends}: how long the history keeps an ended message, and how many
	 * ended messages it keeps in a partition; {@link #OFF} for no history
	 */
	public static String setting(EndSettings settings, int partitions) {
		return settings.hasHistory() ? settings.historyFor().toMillis() + "|" + settings.historyOfPartition(partitions)
				: OFF;
	}

	/**
	 * The position of an ended message in the history of a queue. The message that ended
	 * last is first. Of messages that ended at the same time, the one in the lowest
	 * partition is first.
	 *
	 * @param millis when the message ended, ms since 1970
	 * @param sequence the number of the message among those of its partition that ended
	 * in the same millisecond
	 */
	public record Position(long millis, long sequence) implements Comparable<Position> {

		/** The position before the message that ended last. */
		public static final Position BEGIN = new Position(Long.MAX_VALUE, Long.MAX_VALUE);

		static Position of(String entry) {
			int hyphen = entry.indexOf('-');
			return new Position(Long.parseLong(entry.substring(0, hyphen)),
					Long.parseLong(entry.substring(hyphen + 1)));
		}

		@Override
		public int compareTo(Position other) {
			int byMillis = Long.compare(other.millis, this.millis);
			return (byMillis != 0) ? byMillis : Long.compare(other.sequence, this.sequence);
		}

		@Override
		public String toString() {
			return this.millis + "-" + this.sequence;
		}

	}

	/**
	 * How one message of a partition ended, according to the history.
	 *
	 * @param partition the partition of the message
	 * @param position the position of the message in the history
	 * @param storedId the id and the group of the message
	 * @param end how, when and where the message ended
	 * @param attempts the number of attempts that the message had
	 * @param failure the message's last failure, without counts
	 */
	public record Ended(Partition partition, Position position, StoredId storedId, MessageEnd end, int attempts,
			FailureRecord failure) {

		/**
		 * {@return the id of the message}
		 */
		public String id() {
			return this.storedId.id();
		}

		/**
		 * {@return the group of the message, {@code null} if it has none}
		 */
		public @Nullable String group() {
			return this.storedId.group();
		}

		static Ended from(Partition partition, String entry, byte[] text) {
			String[] parts = Reply.text(text).split("\0", PARTS);
			Position position = Position.of(entry);
			return new Ended(partition, position, StoredId.from(Reply.bytes(parts[0])),
					new MessageEnd(how(parts[1].substring(0, 1)), Instant.ofEpochMilli(position.millis()), parts[3],
							(parts[1].length() > 1) ? Duration.ofMillis(Long.parseLong(parts[1].substring(1))) : null),
					Integer.parseInt(parts[2]), FailureRecord.last(parts[4]));
		}

		/**
		 * Returns the ended message in the form that applications get.
		 * @return the snapshot
		 */
		public MessageSnapshot snapshot() {
			return new MessageSnapshot(this.partition.queue(), id(), group(), MessageState.FINISHED, null, null,
					this.attempts, this.failure.reason(), Map.of(), this.end);
		}

		private static How how(String letter) {
			return switch (letter) {
				case "A" -> How.ACKNOWLEDGED;
				case "L" -> How.DEAD_LETTERED;
				case "C" -> How.CANCELLED;
				case "E" -> How.EXPIRED;
				case "D" -> How.DROPPED;
				case "P" -> How.PURGED;
				case "X" -> How.DISCARDED;
				case "M" -> How.MOVED;
				default -> throw new IllegalStateException(
						"'" + letter + "' is no code for the end of a message, which indicates a bug");
			};
		}

	}

	/**
	 * Lists how messages of a partition ended; the message that ended last is first.
	 * @param partition the partition
	 * @param from the position at which to begin
	 * @param included whether to list a message that is exactly at this position
	 * @param limit the maximum number of messages, 1 to one more than {@value #MOST}
	 * @return the ended messages
	 */
	public List<Ended> list(Partition partition, Position from, boolean included, int limit) {
		String begin = from.equals(Position.BEGIN) ? "+" : (included ? "" : "(") + from;
		Reply reply = this.calls.run(StoreScript.HISTORY_PAGE, partition, begin, limit);
		List<Ended> ends = new ArrayList<>();
		for (int i = 1; i < reply.size(); i += 2) {
			ends.add(Ended.from(partition, reply.text(i), reply.raw(i + 1)));
		}
		return ends;
	}

	/**
	 * Removes the oldest ended messages from the history: those that ended too long ago
	 * according to the stored setting, and those beyond the number that the setting
	 * allows.
	 * @param partition the partition
	 * @return whether a further call may remove more ended messages
	 */
	public boolean trim(Partition partition) {
		return this.calls.run(StoreScript.TRIM_HISTORY, partition, "").is("more");
	}

	/**
	 * Removes the oldest ended messages from the history: those that ended too long ago
	 * according to the stored setting, and those beyond a number.
	 * @param partition the partition
	 * @param most the number of ended messages to keep, 0 or more
	 * @return whether a further call may remove more ended messages
	 */
	public boolean trim(Partition partition, long most) {
		return this.calls.run(StoreScript.TRIM_HISTORY, partition, most).is("more");
	}

	/**
	 * Counts the ended messages in the history of a partition.
	 * @param partition the partition
	 * @return the number of ended messages
	 */
	public long count(Partition partition) {
		byte[] history = this.calls.key(partition, Key.HISTORY);
		Long count = this.calls.command(partition, Key.HISTORY,
				(connection) -> connection.streamCommands().xLen(history));
		return (count != null) ? count : 0;
	}

}
