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
	 * Schedules many messages in the fastest way, and waits until Redis has stored them.
	 */
	void scheduleAll(List<Message> messages);

	/** The number of stored messages, scheduled or not yet acknowledged. */
	long waiting();

	@Override
	void close();

}
