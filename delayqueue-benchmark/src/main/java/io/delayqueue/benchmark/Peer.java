package io.delayqueue.benchmark;

import java.util.List;

/**
 * A running implementation of delayed messages that the benchmark measures. Its consumer
 * passes each message to the ledger in a separate call.
 */
interface Peer extends AutoCloseable {

	/**
	 * Schedules one message, and waits until Redis has stored the message. Many threads
	 * call this method.
	 */
	void schedule(Message message);

	/**
	 * Schedules the messages of one thread, each in a separate call to Redis, and waits
	 * until Redis has stored all messages. Many threads call this method.
	 */
	default void scheduleEach(Iterable<Message> messages) {
		messages.forEach(this::schedule);
	}

	/**
	 * Schedules many messages in the fastest way of this implementation, and waits until
	 * Redis has stored the messages.
	 */
	void scheduleAll(List<Message> messages);

	/**
	 * Returns the number of messages that are stored in Redis because they are not
	 * acknowledged yet.
	 */
	long waiting();

	@Override
	void close();

}
