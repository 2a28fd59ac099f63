package io.delayqueue.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageState;
import io.delayqueue.store.Bookmark;
import io.delayqueue.store.Pages;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.Partition;
import org.jspecify.annotations.Nullable;

/**
 * Lists the messages of a queue page by page, one partition after the other. Whoever
 * follows the pages neither sees a message twice nor misses one that stays, whatever
 * comes and goes meanwhile; a message that leaves its place and gets another one may be
 * met there again. Safe for use by several threads.
 *
 * <p>
 * A page costs one script for each partition that it meets, and one for each 250 messages
 * that it looks at. It ends when it has looked at 5,000, so it may have fewer messages
 * than asked for, or none, although others follow, where few of them are listed.
 */
public final class MessagePages {

	/** The most messages of a page. */
	public static final int LARGEST = 1000;

	private static final int MOST_LOOKS = 5000 / Pages.MOST;

	private final Pages pages;

	/**
	 * Creates the pages.
	 * @param pages the pages of single partitions
	 */
	public MessagePages(Pages pages) {
		this.pages = pages;
	}

	/**
	 * What to list.
	 *
	 * @param queue the queue's name
	 * @param partitions its partition count
	 * @param state scheduled, ready, pending or dead
	 * @param reason only what was set aside for this reason, {@code null} for any; of no
	 * meaning unless the state is dead
	 */
	public record MessageList(String queue, int partitions, MessageState state, @Nullable String reason) {

		private String name() {
			return this.queue + '\n' + this.state + '\n' + ((this.reason != null) ? "only " + this.reason : "any");
		}

		private boolean inStream() {
			return this.state == MessageState.READY || this.state == MessageState.PENDING;
		}

	}

	/**
	 * A message with its partition.
	 *
	 * @param partition the partition
	 * @param message the message
	 */
	public record Placed(Partition partition, Listed message) {
	}

	/**
	 * A page of a queue.
	 *
	 * @param messages what was found
	 * @param next what to ask for the next page with, {@code null} if this was the last
	 */
	public record QueuePage(List<Placed> messages, @Nullable String next) {
	}

	/**
	 * Lists messages.
	 * @param list what to list
	 * @param from where to go on, as the last page said; {@code null} to begin
	 * @param limit the most messages of the page, 1 to {@value #LARGEST}
	 * @param way makes each call to a partition, so that it may be repeated
	 * @return the page
	 * @throws InvalidMessageException if {@code from} or {@code limit} breaks its rule
	 */
	public QueuePage list(MessageList list, @Nullable String from, int limit, UnaryOperator<Supplier<Page>> way) {
		if (limit < 1 || limit > LARGEST) {
			throw new InvalidMessageException("limit", Integer.toString(limit), "from 1 to " + LARGEST);
		}
		PageCursor cursor = PageCursor.parse(from, list.name(), list.inStream(), list.partitions());
		List<Placed> found = new ArrayList<>();
		int number = cursor.partition();
		Bookmark after = cursor.after();
		int looks = 0;
		while (number < list.partitions() && found.size() < limit && looks < MOST_LOOKS) {
			Partition partition = new Partition(list.queue(), number);
			Bookmark begin = after;
			int wanted = limit - found.size();
			Page page = way.apply(() -> page(list, partition, begin, wanted)).get();
			page.messages().forEach((message) -> found.add(new Placed(partition, message)));
			if (page.next() != null) {
				after = page.next();
				looks++;
			}
			else {
				after = Bookmark.BEGIN;
				number++;
			}
		}
		return new QueuePage(found,
				(number < list.partitions()) ? new PageCursor(number, after).toText(list.name()) : null);
	}

	/** A page of one partition. */
	Page page(MessageList list, Partition partition, Bookmark after, int limit) {
		return (list.reason() != null && list.state() == MessageState.DEAD)
				? this.pages.deadBecause(partition, list.reason(), after, limit)
				: this.pages.list(partition, list.state(), after, limit);
	}

}
