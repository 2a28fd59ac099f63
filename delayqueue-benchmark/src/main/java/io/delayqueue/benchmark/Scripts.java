package io.delayqueue.benchmark;

import java.util.List;

import redis.clients.jedis.Jedis;

/**
 * The calls of {@link BarePeer} to Redis. Not safe for use by several threads: each
 * thread has its own instance and its own connection.
 */
interface Scripts {

	/** Creates an instance for one connection. */
	interface Factory {

		Scripts on(Jedis connection);

	}

	/** Stores messages for their due times. */
	void schedule(List<Message> messages);

	/**
	 * Moves due messages to the stream.
	 * @return the number of moved messages, the next due time, and the messages that the
	 * sweep delivers
	 */
	Swept sweep();

	/**
	 * Reads ready messages from the stream, with their payloads, and may wait for them;
	 * returns none if sweeps deliver all messages.
	 */
	default List<Taken> read() {
		return List.of();
	}

	/** Acknowledges handled messages. */
	void acknowledge(List<Taken> handled);

	/** Returns the number of stored messages. */
	long waiting();

	/**
	 * The result of a sweep.
	 *
	 * @param moved the number of moved messages
	 * @param nextDueMillis the next due time, ms since 1970, -1 if no message is
	 * scheduled
	 * @param delivered the messages that the call of the sweep has also read
	 */
	record Swept(long moved, long nextDueMillis, List<Taken> delivered) {
	}

	/**
	 * A delivered message.
	 *
	 * @param entry the id of the stream entry
	 * @param id the id of the message
	 * @param payload the payload of the message
	 * @param token further data that the acknowledgement needs
	 */
	record Taken(String entry, String id, String payload, String token) {
	}

}
