package io.delayqueue;

import java.util.List;
import java.util.Optional;

/**
 * Some messages of a group.
 *
 * @param messages the messages, in the order of their due times, those of equal due time
 * in the order of their ids' bytes
 * @param next what to ask for the next page with, empty if this was the last one
 */
public record GroupPage(List<GroupMessage> messages, Optional<String> next) {

	/**
	 * Copies the messages in.
	 */
	public GroupPage {
		messages = List.copyOf(messages);
	}

}
