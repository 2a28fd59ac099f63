package io.delayqueue.event;

import java.util.List;

/**
 * Messages cannot be delivered any more, because their records were removed from Redis,
 * but not by this library.
 *
 * @param queue the queue
 * @param ids the messages' ids, 1 or more; a large loss is reported in several events
 */
public record MessagesLostEvent(String queue, List<String> ids) implements DelayQueueEvent {

	/**
	 * Copies the ids of the lost messages.
	 */
	public MessagesLostEvent {
		ids = List.copyOf(ids);
	}

}
