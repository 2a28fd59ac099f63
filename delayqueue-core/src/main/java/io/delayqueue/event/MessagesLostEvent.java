package io.delayqueue.event;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Messages cannot be delivered any more, because their records were removed from Redis,
 * but not by this library.
 *
 * @param queue the queue
 * @param messages the messages, 1 or more; a large loss is reported in several events
 */
public record MessagesLostEvent(String queue, List<Message> messages) implements DelayQueueEvent {

	/**
	 * Copies the list of the lost messages.
	 */
	public MessagesLostEvent {
		messages = List.copyOf(messages);
	}

	/**
	 * A lost message.
	 *
	 * @param id the message's id
	 * @param group the group key, {@code null} if the message had none
	 */
	public record Message(String id, @Nullable String group) {
	}

}
