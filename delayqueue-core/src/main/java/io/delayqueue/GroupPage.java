package io.delayqueue;

import java.util.List;
import java.util.Optional;

/**
 * A page of the messages of a group.
 *
 * @param messages the messages, ordered by due time and then by the bytes of their ids
 * @param next the cursor of the next page, empty after the last page
 */
public record GroupPage(List<GroupMessage> messages, Optional<String> next) {

	/**
	 * Copies the list of messages.
	 */
	public GroupPage {
		messages = List.copyOf(messages);
	}

}
