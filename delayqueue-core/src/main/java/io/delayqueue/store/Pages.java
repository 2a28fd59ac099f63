package io.delayqueue.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

import io.delayqueue.MessageState;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Lists the messages of a partition page by page, without their records. One atomic
 * script reads each page, and writes nothing. Each method is safe to repeat, and throws
 * {@link StoreException}.
 */
public final class Pages {

	/**
	 * The most messages that one call reads, so that its script does not occupy Redis for
	 * long.
	 */
	public static final int MOST = 250;

	private final RedisCalls calls;

	/** Creates an instance that calls Redis. */
	public Pages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A position in a list of the messages that a partition has in one state. The
	 * position is before the first message, or behind one message, which may have been
	 * removed since. A list that continues from a position neither repeats a message nor
	 * omits a message that stays in this state, even if messages are added or removed
	 * meanwhile. Immutable.
	 */
	public static final class Position {

		/** The position before the first message of a list. */
		public static final Position BEGIN = new Position("", new byte[0], "");

		/**
		 * The position before the first message of a list. The list ends behind the
		 * message that is last when the first page is read. Messages that are added
		 * behind that message while the pages are read are not listed. This position is
		 * for scheduled and dead messages only.
		 */
		public static final Position BEGIN_BOUNDED = new Position("", new byte[0], "last");

		/** The form of a score of a sorted set in a Redis reply. */
		private static final Pattern SCORE = Pattern.compile("-?(inf|\\d{1,20}(\\.\\d{1,20})?(e[+-]?\\d{1,3})?)");

		/**
		 * The form of the id of a stream entry, with fewer digits than Redis allows, so
		 * that a next id always exists.
		 */
		private static final Pattern ENTRY = Pattern.compile("\\d{1,19}-\\d{1,19}");

		private final String at;

		private final byte[] id;

		private final String bound;

		private Position(String at, byte[] id, String bound) {
			this.at = at;
			this.id = id;
			this.bound = bound;
		}

		/**
		 * Returns the position behind a member of a sorted set, or before the first
		 * member if the score is empty.
		 */
		static Position behind(String score, byte[] id) {
			return behind(score, id, "");
		}

		/**
		 * Returns the position behind a member of a sorted set. The list ends behind the
		 * score {@code bound}, or behind the last member if {@code bound} is empty.
		 */
		static Position behind(String score, byte[] id, String bound) {
			return new Position(score, id, bound);
		}

		/**
		 * Returns the position behind a stream entry, in a list of ready or pending
		 * messages.
		 */
		static Position behind(String entry) {
			return behind(entry, new byte[0]);
		}

		/**
		 * Returns the score, or the id of the stream entry, of the message before this
		 * position, as Redis writes it.
		 * @return ASCII of at most 50 characters; empty before the first message
		 */
		public String at() {
			return this.at;
		}

		/**
		 * Returns the id and the group of the message before this position, as Redis
		 * stores them.
		 * @return a copy of its bytes; empty if {@link #at} alone gives the position
		 */
		public byte[] id() {
			return this.id.clone();
		}

		/**
		 * Returns the position as bytes, without the score behind which the list ends.
		 * @return the length of {@link #at} in one byte, {@link #at}, then {@link #id}
		 */
		public byte[] toBytes() {
			byte[] start = Reply.bytes(this.at);
			return ByteBuffer.allocate(1 + start.length + this.id.length)
				.put((byte) start.length)
				.put(start)
				.put(this.id)
				.array();
		}

		/**
		 * Reads a position from bytes that a caller has kept.
		 * @param inStream whether the position is in a list of ready or pending messages
		 * @param bytes the result of {@link #toBytes}
		 * @return the position
		 * @throws RuntimeException if the bytes are not the result of {@link #toBytes}
		 */
		public static Position from(boolean inStream, byte[] bytes) {
			int end = 1 + bytes[0];
			return of(inStream, Reply.text(Arrays.copyOfRange(bytes, 1, end)),
					Arrays.copyOfRange(bytes, end, bytes.length));
		}

		/** Returns the script argument for the highest score that is still listed. */
		String bound() {
			return this.bound;
		}

		/**
		 * Creates a position in a list without an end score: from a score and an id, or
		 * from a stream entry alone.
		 * @param inStream whether the position is in a list of ready or pending messages
		 * @param at the value of {@link #at}
		 * @param id the value of {@link #id}
		 * @return the position
		 * @throws IllegalArgumentException if {@code at} or {@code id} cannot be part of
		 * a position
		 */
		public static Position of(boolean inStream, String at, byte[] id) {
			boolean alone = at.isEmpty() || inStream;
			if ((!at.isEmpty() && !(inStream ? ENTRY : SCORE).matcher(at).matches()) || (alone && id.length > 0)) {
				throw new IllegalArgumentException("The cursor is not a position in a list of messages");
			}
			return behind(at, id.clone());
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Position that && this.at.equals(that.at) && Arrays.equals(this.id, that.id)
					&& this.bound.equals(that.bound);
		}

		@Override
		public int hashCode() {
			return 31 * this.at.hashCode() + Arrays.hashCode(this.id);
		}

		@Override
		public String toString() {
			return this.at.isEmpty() ? "begin" : this.at + " " + StoredId.from(this.id);
		}

	}

	/**
	 * A message on a page of a list.
	 *
	 * @param storedId the message's id and group
	 * @param state the state of the message
	 * @param atMillis a time in ms since 1970: when a scheduled message will be swept,
	 * when a ready or pending message was swept, when a dead letter was dead-lettered, or
	 * the due time of a parked message; in a list by group the due time or, of a dead
	 * letter, when it was dead-lettered
	 * @param failure the record of the message's failed deliveries
	 * @param consumer the consumer that holds the message, {@code null} unless the
	 * message is pending, and in a list by group
	 * @param idleMillis the time since the consumer took the message or renewed its
	 * lease, ms; 0 unless the message is pending, and in a list by group
	 */
	public record Listed(StoredId storedId, MessageState state, long atMillis, FailureRecord failure,
			@Nullable String consumer, long idleMillis) {

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

	}

	/**
	 * A page of a partition's messages.
	 *
	 * @param messages the messages; may be fewer than the limit although more messages
	 * follow
	 * @param next the position at which the next page begins, {@code null} if no message
	 * follows
	 */
	public record Page(List<Listed> messages, @Nullable Position next) {
	}

	/**
	 * Lists the messages of a partition in one state. Scheduled messages are in the order
	 * in which they will be swept, ready and pending messages in the order of the stream,
	 * dead letters in the order in which they were dead-lettered. Messages of the same
	 * time are in the order of the bytes of their ids. Parked messages are ordered by
	 * group, then by due time.
	 * @param partition the partition
	 * @param state the state of the messages
	 * @param after the position at which to begin
	 * @param limit the most messages, 1 or more; a page never has more than
	 * {@value #MOST}
	 * @return a page of messages
	 */
	public Page list(Partition partition, MessageState state, Position after, int limit) {
		int most = Math.min(limit, MOST);
		return switch (state) {
			case SCHEDULED, DEAD -> inOrder(partition, state, after, most, most, "", "");
			case READY, PENDING -> inStream(partition, state, after, most);
			case PARKED -> byGroup(partition, "parked", "", "", after, most, null);
			case FINISHED -> throw new IllegalArgumentException(
					"Finished messages cannot be listed by state; the history lists them");
		};
	}

	/**
	 * Lists the dead letters of a partition that have one reason. Reads at most
	 * {@value #MOST} dead letters, so a page may be empty although more dead letters
	 * follow.
	 * @param partition the partition
	 * @param reason the reason's code, as in
	 * {@link io.delayqueue.admin.DeadLetter#reason()}
	 * @param after the position at which to begin
	 * @param limit the most messages, 1 or more
	 * @return a page of messages
	 */
	public Page deadBecause(Partition partition, String reason, Position after, int limit) {
		return inOrder(partition, MessageState.DEAD, after, Math.min(limit, MOST), MOST, reason, "");
	}

	/**
	 * Lists the scheduled messages or the dead letters of a partition whose ids begin
	 * with a text. Reads at most {@value #MOST} messages, so a page may be empty although
	 * more messages follow.
	 * @param partition the partition
	 * @param state the state of the messages, scheduled or dead
	 * @param prefix the first characters of the ids
	 * @param after the position at which to begin
	 * @param limit the most messages, 1 or more
	 * @return a page of messages
	 */
	public Page withPrefix(Partition partition, MessageState state, String prefix, Position after, int limit) {
		return inOrder(partition, state, after, Math.min(limit, MOST), MOST, "", prefix);
	}

	/**
	 * Lists the scheduled messages of a partition that wait for a retry, or only those
	 * that do not. Reads at most {@value #MOST} messages, so a page may be empty although
	 * more messages follow.
	 * @param partition the partition
	 * @param retries whether an attempt of the messages has failed
	 * @param after the position at which to begin
	 * @param limit the most messages, 1 or more
	 * @return a page of messages
	 */
	public Page waiting(Partition partition, boolean retries, Position after, int limit) {
		Page read = list(partition, MessageState.SCHEDULED, after, MOST);
		List<Listed> found = read.messages()
			.stream()
			.filter((message) -> (message.failure().attempts() > 0) == retries)
			.toList();
		if (found.size() <= limit) {
			return new Page(found, read.next());
		}
		Listed last = found.get(limit - 1);
		return new Page(found.subList(0, limit),
				Position.behind(Long.toString(last.atMillis()), last.storedId().toBytes(), after.bound()));
	}

	private Page inOrder(Partition partition, MessageState state, Position after, int limit, int scanned, String reason,
			String prefix) {
		Reply reply = this.calls.run(StoreScript.PAGE, partition, (state == MessageState.DEAD) ? "dead" : "scheduled",
				after.at(), after.id(), limit, scanned, reason, after.bound(), prefix);
		List<Listed> messages = new ArrayList<>();
		for (int i = 4; i < reply.size(); i += 3) {
			messages.add(
					new Listed(reply.id(i), state, reply.number(i + 1), FailureRecord.from(reply.raw(i + 2)), null, 0));
		}
		return new Page(messages,
				reply.is("more") ? Position.behind(reply.text(1), reply.raw(2), reply.text(3)) : null);
	}

	private Page inStream(Partition partition, MessageState state, Position after, int limit) {
		boolean pending = state == MessageState.PENDING;
		Reply reply = this.calls.run(StoreScript.READY_PAGE, partition, pending ? "pending" : "ready", after.at(),
				limit);
		List<Listed> messages = new ArrayList<>();
		for (int i = 2; i < reply.size(); i += 5) {
			messages.add(new Listed(reply.id(i), pending ? MessageState.PENDING : MessageState.READY,
					millisOf(reply.text(i + 1)), FailureRecord.from(reply.raw(i + 4)),
					pending ? reply.text(i + 2) : null, reply.number(i + 3)));
		}
		return new Page(messages, reply.is("more") ? Position.behind(reply.text(1)) : null);
	}

	/**
	 * Lists the messages and dead letters of a group by due time; the dead letters come
	 * last. If only one state is listed, reads at most {@value #MOST} messages, so a page
	 * may be empty although more messages follow.
	 * @param partition the partition
	 * @param group the group key
	 * @param state the state of the messages, {@code null} for any
	 * @param after the position at which to begin
	 * @param limit the most messages, 1 or more
	 * @return a page of messages
	 */
	public Page ofGroup(Partition partition, String group, @Nullable MessageState state, Position after, int limit) {
		return byGroup(partition, "all", group + (char) 0, group + (char) 3, after, Math.min(limit, MOST), state);
	}

	/**
	 * Lists the messages and dead letters of all groups that begin with a text, ordered
	 * by group. If only one state is listed, reads at most {@value #MOST} messages.
	 * @param partition the partition
	 * @param prefix the first characters of the groups, at least one
	 * @param state the state of the messages, {@code null} for any
	 * @param after the position at which to begin
	 * @param limit the most messages, 1 or more
	 * @return a page of messages
	 */
	public Page ofGroups(Partition partition, String prefix, @Nullable MessageState state, Position after, int limit) {
		return byGroup(partition, "all", prefix, prefix + Character.toString(Character.MAX_CODE_POINT), after,
				Math.min(limit, MOST), state);
	}

	private Page byGroup(Partition partition, String of, String from, String to, Position after, int limit,
			@Nullable MessageState state) {
		Reply reply = this.calls.run(StoreScript.GROUP_PAGE, partition, of, from, to, after.id(), limit, state);
		List<Listed> messages = new ArrayList<>();
		for (int i = 2; i < reply.size(); i += 4) {
			messages.add(new Listed(reply.id(i), MessageState.valueOf(reply.text(i + 3)), reply.number(i + 1),
					FailureRecord.from(reply.raw(i + 2)), null, 0));
		}
		return new Page(messages, reply.is("more") ? Position.behind("0", reply.raw(1)) : null);
	}

	/**
	 * Returns when Redis added a stream entry, ms since 1970: the first part of the
	 * entry's id.
	 */
	static long millisOf(String entry) {
		String millis = entry.substring(0, entry.indexOf('-'));
		return (millis.length() < 19) ? Long.parseLong(millis) : Long.MAX_VALUE;
	}

}
