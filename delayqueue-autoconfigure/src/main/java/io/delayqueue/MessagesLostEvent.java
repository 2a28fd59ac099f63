package io.delayqueue;

import java.util.List;

/**
 * Messages cannot be delivered any more, because others have removed their records from
 * Redis.
 *
 * @param queue the queue
 * @param ids the messages' ids, 1 or more; a large loss is told in several events
 */
public record MessagesLostEvent(String queue, List<String> ids) implements DelayQueueEvent {

	/**
	 * Copies the ids in.
	 */
	public MessagesLostEvent {
		ids = List.copyOf(ids);
	}

}
