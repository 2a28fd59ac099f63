package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.delayqueue.GroupMessage;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.queue.Partition;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.data.domain.Range;
import org.springframework.data.domain.Range.Bound;
import org.springframework.data.redis.connection.Limit;

/**
 * Counts and lists the messages of a group in a partition, and removes token buckets of
 * groups. Each method is safe to repeat, and throws {@link StoreException}.
 */
public final class Groups {

	/** The most messages of a group on one page. */
	public static final int MOST = 1000;

	private static final char END = 0;

	private final RedisCalls calls;

	/**
	 * Creates an instance that calls Redis.
	 * @param calls the access to Redis
	 */
	public Groups(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * Counts the messages that hold a slot in the quota of a group.
	 * @param partition the partition
	 * @param group the group key
	 * @return the number of messages
	 */
	public long count(Partition partition, String group) {
		return count(partition, group + END, group + (char) (END + 1));
	}

	/**
	 * Whether a partition has messages or dead letters of a group.
	 * @param partition the partition
	 * @param group the group key
	 * @return {@code false} if no message of the group exists in the partition
	 */
	public boolean has(Partition partition, String group) {
		return count(partition, group + END, group + (char) (END + 3)) > 0;
	}

	private long count(Partition partition, String from, String to) {
		byte[] groups = this.calls.key(partition, Key.GROUPS);
		Range<byte[]> range = Range.of(Bound.inclusive(Reply.bytes(from)), Bound.exclusive(Reply.bytes(to)));
		Long count = this.calls.command(partition, Key.GROUPS,
				(connection) -> connection.zSetCommands().zLexCount(groups, range));
		return (count != null) ? count : 0;
	}

	/**
	 * Removes the token buckets of groups that are full, which have no effect.
	 * @param partition the partition
	 * @return whether a further call may remove more buckets
	 */
	public boolean trimRates(Partition partition) {
		return this.calls.run(StoreScript.TRIM_RATES, partition).is("more");
	}

	/**
	 * Lists the messages that a candidate may mean.
	 * @param candidate the partition and the message
	 * @return the message that the candidate names; if any group is meant, followed by
	 * the messages with this id and a group, in the order of the bytes of their groups,
	 * up to {@value #MOST}
	 */
	List<StoredId> meant(Candidate candidate) {
		Partition partition = candidate.partition();
		List<StoredId> meant = new ArrayList<>();
		meant.add(candidate.id());
		if (candidate.anyGroup()) {
			byte[] groups = this.calls.key(partition, Key.GROUPS);
			String from = (char) (END + 1) + candidate.id().id();
			Range<byte[]> range = Range.of(Bound.inclusive(Reply.bytes(from + (char) (END + 1))),
					Bound.exclusive(Reply.bytes(from + (char) (END + 2))));
			Set<byte[]> found = this.calls.command(partition, Key.GROUPS,
					(connection) -> connection.zSetCommands().zRangeByLex(groups, range, Limit.limit().count(MOST)));
			found.forEach((member) -> meant.add(StoredId.from(Arrays.copyOfRange(member, 1, member.length))));
		}
		return meant;
	}

	/**
	 * A page of the messages of a group.
	 *
	 * @param messages the messages on the page
	 * @param next the position behind the last message of the page, {@code null} if no
	 * message follows
	 */
	public record Page(List<GroupMessage> messages, @Nullable Position next) {
	}

	/**
	 * A position in the list of a group's messages: behind one message, which may have
	 * been removed since.
	 *
	 * @param dueMillis the due time of this message, ms since 1970
	 * @param id the id of this message
	 */
	public record Position(long dueMillis, String id) {
	}

	/**
	 * Lists the messages of a group in the order of their due times.
	 * @param partition the partition
	 * @param group the group key
	 * @param behind the position at which to continue, {@code null} to begin
	 * @param limit the most messages, 1 to {@value #MOST}
	 * @return a page of messages
	 */
	public Page list(Partition partition, String group, @Nullable Position behind, int limit) {
		String member = (behind != null) ? group + END + String.format(Locale.ROOT, "%016d", behind.dueMillis()) + END
				+ Reply.text(new StoredId(behind.id(), group).toBytes()) : "";
		Reply reply = this.calls.run(StoreScript.GROUP_PAGE, partition, "groups", group + END, group + (char) (END + 1),
				member, limit, "");
		List<GroupMessage> messages = new ArrayList<>();
		for (int i = 2; i < reply.size(); i += 4) {
			messages.add(new GroupMessage(reply.id(i).id(), Instant.ofEpochMilli(reply.number(i + 1)),
					MessageState.valueOf(reply.text(i + 3))));
		}
		int last = reply.size() - 4;
		return new Page(messages, reply.is("more") ? new Position(reply.number(last + 1), reply.id(last).id()) : null);
	}

}
