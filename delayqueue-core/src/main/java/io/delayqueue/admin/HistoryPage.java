package io.delayqueue.admin;

import java.util.List;

import io.delayqueue.MessageSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * A page of the history of a queue.
 *
 * @param messages messages that have ended, the latest end first; a message that became a
 * dead letter and ended later is listed twice
 * @param next the cursor of the next page, {@code null} if this page is the last
 */
public record HistoryPage(List<MessageSnapshot> messages, @Nullable String next) {

	/**
	 * Copies the list of messages.
	 */
	public HistoryPage {
		messages = List.copyOf(messages);
	}

}
