package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.MessageState;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.redis.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Lists the messages of a partition page by page, without their records. Each page is one
 * atomic script that only reads, and is safe to repeat; it throws {@link StoreException}.
 */
public final class Pages {

	/** The most messages that one script reads, so that the script is short. */
	public static final int MOST = 250;

	private final RedisCalls calls;

	/**
	 * Creates the lists.
	 * @param calls the way to Redis
	 */
	public Pages(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A message in a list.
	 *
	 * @param id the message's id
	 * @param atMillis ms since 1970: when it will be swept if it is scheduled, when it
	 * was swept if it is ready or pending, when it was dead-lettered if it is dead, its
	 * due time if it is parked
	 * @param failure the record of its failed deliveries
	 * @param consumer the consumer that holds it, {@code null} unless it is pending
	 * @param idleMillis how long ago that consumer took it or renewed its lease, 0 unless
	 * it is pending
	 */
	public record Listed(String id, long atMillis, FailureRecord failure, @Nullable String consumer, long idleMillis) {
	}

	/**
	 * A page of a partition.
	 *
	 * @param messages the messages; may be fewer than the limit although more follow
	 * @param next where the next page begins, {@code null} if no message follows
	 */
	public record Page(List<Listed> messages, @Nullable Bookmark next) {
	}

	/**
	 * Lists messages: scheduled ones by when they will be swept, ready and pending ones
	 * in the order of the stream, dead ones by when they were dead-lettered; equal times
	 * are ordered by the bytes of the ids. Parked ones by group, then by due time.
	 * @param partition the partition
	 * @param state the state of the messages
	 * @param after where to begin
	 * @param limit the most messages, 1 or more; never more than {@value #MOST} are
	 * listed
	 * @return the page
	 */
	public Page list(Partition partition, MessageState state, Bookmark after, int limit) {
		int most = Math.min(limit, MOST);
		return switch (state) {
			case SCHEDULED, DEAD -> inOrder(partition, state, after, most, most, "");
			case READY, PENDING -> inStream(partition, state, after, most);
			case PARKED -> parked(partition, after, most);
		};
	}

	/**
	 * Lists dead letters with a reason. Reads no more than {@value #MOST}, so that a page
	 * may be empty although more follow.
	 * @param partition the partition
	 * @param reason the reason's code, as in
	 * {@link io.delayqueue.admin.DeadLetter#reason()}
	 * @param after where to begin
	 * @param limit the most messages, 1 or more
	 * @return the page
	 */
	public Page deadBecause(Partition partition, String reason, Bookmark after, int limit) {
		return inOrder(partition, MessageState.DEAD, after, Math.min(limit, MOST), MOST, reason);
	}

	private Page inOrder(Partition partition, MessageState state, Bookmark after, int limit, int scanned,
			String reason) {
		Reply reply = this.calls.run(StoreScript.PAGE, partition,
				Reply.bytes((state == MessageState.DEAD) ? "dead" : "scheduled"), Reply.bytes(after.at()), after.id(),
				Reply.bytes(limit), Reply.bytes(scanned), Reply.bytes(reason), Reply.bytes(after.bound()));
		List<Listed> messages = new ArrayList<>();
		for (int i = 4; i < reply.size(); i += 3) {
			messages.add(new Listed(reply.text(i), reply.number(i + 1), FailureRecord.from(reply.raw(i + 2)), null, 0));
		}
		return new Page(messages,
				reply.is("more") ? Bookmark.behind(reply.text(1), reply.raw(2), reply.text(3)) : null);
	}

	private Page inStream(Partition partition, MessageState state, Bookmark after, int limit) {
		boolean pending = state == MessageState.PENDING;
		Reply reply = this.calls.run(StoreScript.READY_PAGE, partition, Reply.bytes(pending ? "pending" : "ready"),
				Reply.bytes(after.at()), Reply.bytes(limit));
		List<Listed> messages = new ArrayList<>();
		for (int i = 2; i < reply.size(); i += 5) {
			messages.add(new Listed(reply.text(i), millisOf(reply.text(i + 1)), FailureRecord.from(reply.raw(i + 4)),
					pending ? reply.text(i + 2) : null, reply.number(i + 3)));
		}
		return new Page(messages, reply.is("more") ? Bookmark.behind(reply.text(1)) : null);
	}

	private Page parked(Partition partition, Bookmark after, int limit) {
		Reply reply = this.calls.run(StoreScript.GROUP_PAGE, partition, Reply.bytes("parked"), Reply.bytes(""),
				after.id(), Reply.bytes(limit));
		List<Listed> messages = new ArrayList<>();
		for (int i = 2; i < reply.size(); i += 4) {
			messages.add(new Listed(reply.text(i), reply.number(i + 1), FailureRecord.from(reply.raw(i + 2)), null, 0));
		}
		return new Page(messages, reply.is("more") ? Bookmark.behind("0", reply.raw(1)) : null);
	}

	/** When an entry was added, by the clock of Redis: the first part of its id. */
	static long millisOf(String entry) {
		String millis = entry.substring(0, entry.indexOf('-'));
		return (millis.length() < 19) ? Long.parseLong(millis) : Long.MAX_VALUE;
	}

}
