package io.delayqueue.benchmark;

import java.util.List;

/**
 * One way to delay messages, with a consumer that runs: each message is handed to the
 * ledger by a call of its own.
 */
interface Peer extends AutoCloseable {

	/** Brings one message, and waits until Redis has it. Called by many threads. */
	void schedule(Message message);

	/** Brings many messages, the fastest way there is, and waits until Redis has them. */
	void scheduleAll(List<Message> messages);

	/** How many messages Redis has, waiting or not yet finished. */
	long waiting();

	@Override
	void close();

}
