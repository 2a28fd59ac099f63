package io.delayqueue.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageState;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.Pages;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.Pages.Position;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.RedisCalls;
import org.jspecify.annotations.Nullable;

/**
 * Lists the messages of a queue page by page, one partition after the other. A caller
 * that reads all pages gets no message twice and misses no message that exists
 * throughout, even if other messages are added and removed meanwhile. A message that
 * moves to another due time may be listed again, or missed. This class is thread-safe.
 *
 * <p>
 * A page costs one call of a script for each partition that the page reaches, and one for
 * each 250 messages that are read. A page ends after 5,000 messages have been read. If
 * few of the messages are selected, a page may have fewer messages than the limit, or
 * none, although more pages follow.
 */
public final class MessagePages {

	/** The largest number of messages on a page. */
	public static final int LARGEST = 1000;

	private static final int MOST_READS = 5000 / Pages.MOST;

	private final Pages pages;

	/**
	 * Creates the access to the messages of queues.
	 * @param calls the access to Redis
	 */
	public MessagePages(RedisCalls calls) {
		this.pages = new Pages(calls);
	}

	/**
	 * Selects messages by their groups, ids or failures.
	 *
	 * @param group the group of the messages, {@code null} for any group
	 * @param groupPrefix the first characters of the groups of the messages, {@code null}
	 * for any group
	 * @param idPrefix the first characters of the ids of scheduled messages or dead
	 * letters, {@code null} for any id; ignored if the messages are selected by group
	 * @param retries whether an attempt of the scheduled messages has failed,
	 * {@code null} for both; ignored if the messages are selected by group or id
	 */
	public record Search(@Nullable String group, @Nullable String groupPrefix, @Nullable String idPrefix,
			@Nullable Boolean retries) {

		static final Search ANY = new Search(null, null, null, null);

		/**
		 * Whether the messages are selected by their groups.
		 * @return {@code true} if a group or the first characters of groups are given
		 */
		public boolean isByGroup() {
			return this.group != null || this.groupPrefix != null;
		}

	}

	/**
	 * The selection of messages to list: a queue, a state and a reason.
	 *
	 * @param epochs the queue with its partitions
	 * @param state the state of the listed messages: scheduled, parked, ready, pending or
	 * dead; {@code null} for any state, only if the messages are selected by group
	 * @param reason the reason of the dead letters to list, {@code null} for any reason;
	 * ignored unless the state is dead
	 * @param search selects messages by their groups or ids
	 */
	public record MessageList(Epochs epochs, @Nullable MessageState state, @Nullable String reason, Search search) {

		/**
		 * Selects messages of any group and id.
		 * @param epochs the queue with its partitions
		 * @param state the state of the messages
		 * @param reason the reason of the dead letters, {@code null} for any reason
		 */
		public MessageList(Epochs epochs, MessageState state, @Nullable String reason) {
			this(epochs, state, reason, Search.ANY);
		}

		private String name() {
			return this.epochs.queue() + '\n' + this.state + '\n'
					+ ((this.reason != null) ? "only " + this.reason : "any") + '\n' + this.search;
		}

		/** Returns the partitions that may have selected messages. */
		private List<Partition> partitions() {
			String group = this.search.group();
			return (group != null) ? Partitioner.ofGroup(group, this.epochs) : this.epochs.partitions();
		}

		private Cursor<Position> cursor(@Nullable String from) {
			boolean inStream = !this.search.isByGroup()
					&& (this.state == MessageState.READY || this.state == MessageState.PENDING);
			return (from == null) ? new Cursor<>(0, 0, Position.BEGIN)
					: Cursor.parse(from, "page of the same list", name(), (bytes) -> Position.from(inStream, bytes));
		}

	}

	/**
	 * A listed message with its partition.
	 *
	 * @param partition the partition
	 * @param message the message
	 */
	public record Placed(Partition partition, Listed message) {
	}

	/**
	 * A page of the messages of a queue.
	 *
	 * @param messages the messages
	 * @param next the cursor of the next page, {@code null} if this page is the last
	 */
	public record QueuePage(List<Placed> messages, @Nullable String next) {
	}

	/**
	 * Lists one page of the selected messages of a queue.
	 * @param list which messages to list
	 * @param from the cursor that the previous page returned; {@code null} for the first
	 * page
	 * @param limit the most messages on the page, 1 to {@value #LARGEST}
	 * @param retries wraps each call to a partition, for example to repeat a failed call
	 * @return the page
	 * @throws InvalidMessageException if {@code from} or {@code limit} is invalid
	 */
	public QueuePage list(MessageList list, @Nullable String from, int limit, UnaryOperator<Supplier<Page>> retries) {
		if (limit < 1 || limit > LARGEST) {
			throw new InvalidMessageException("limit", Integer.toString(limit), "from 1 to " + LARGEST);
		}
		Cursor<Position> cursor = list.cursor(from);
		List<Placed> found = new ArrayList<>();
		List<Partition> left = list.partitions().stream().filter(cursor::reaches).toList();
		Position after = left.isEmpty() ? Position.BEGIN : cursor.positionIn(left.get(0), Position.BEGIN);
		int at = 0;
		int reads = 0;
		while (at < left.size() && found.size() < limit && reads < MOST_READS) {
			Partition partition = left.get(at);
			Position begin = after;
			int wanted = limit - found.size();
			Page page = retries.apply(() -> page(list, partition, begin, wanted)).get();
			page.messages().forEach((message) -> found.add(new Placed(partition, message)));
			if (page.next() != null) {
				after = page.next();
				reads++;
			}
			else {
				after = Position.BEGIN;
				at++;
			}
		}
		return new QueuePage(found,
				(at < left.size()) ? Cursor.text(list.name(), left.get(at), after.toBytes()) : null);
	}

	/** Reads a page of the selected messages from one partition. */
	Page page(MessageList list, Partition partition, Position after, int limit) {
		Search search = list.search();
		MessageState state = list.state();
		if (search.group() != null) {
			return this.pages.ofGroup(partition, search.group(), state, after, limit);
		}
		if (search.groupPrefix() != null) {
			return this.pages.ofGroups(partition, search.groupPrefix(), state, after, limit);
		}
		if (state == null) {
			throw new IllegalArgumentException("Only messages of groups can be listed in any state");
		}
		if (search.idPrefix() != null) {
			return this.pages.withPrefix(partition, state, search.idPrefix(), after, limit);
		}
		if (search.retries() != null && state == MessageState.SCHEDULED) {
			return this.pages.waiting(partition, search.retries(), after, limit);
		}
		return (list.reason() != null && state == MessageState.DEAD)
				? this.pages.deadBecause(partition, list.reason(), after, limit)
				: this.pages.list(partition, state, after, limit);
	}

}
