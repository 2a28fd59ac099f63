package io.delayqueue.benchmark;

import java.util.List;

/**
 * An implementation of delayed messages with a running consumer, which passes each
 * message to the ledger in a separate call.
 */
interface Peer extends AutoCloseable {

	/**
	 * Schedules one message, and waits until Redis has stored it. Called by many threads.
	 */
	void schedule(Message message);

	/**
	 * Schedules the messages of one thread, each in a call of its own, and waits until
	 * Redis has stored all of them. Called by many threads.
	 */
	default void scheduleEach(Iterable<Message> messages) {
		messages.forEach(this::schedule);
	}

	/**
	 * Schedules many messages in the fastest way, and waits until Redis has stored them.
	 */
	void scheduleAll(List<Message> messages);

	/** The number of stored messages, scheduled or not yet acknowledged. */
	long waiting();

	@Override
	void close();

}
