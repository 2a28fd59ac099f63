package io.delayqueue.benchmark;

import java.util.List;

import redis.clients.jedis.Jedis;

/**
 * The calls of a bare client to Redis. Not thread-safe: each thread has its own instance
 * and its own connection.
 */
interface Scripts {

	/** Creates the scripts for one connection. */
	interface Factory {

		Scripts on(Jedis connection);

	}

	/** Stores messages. */
	void schedule(List<Message> messages);

	/**
	 * Moves due messages to the stream.
	 * @return their number, the next due time, and the messages that it delivers
	 */
	Swept sweep();

	/** Reads ready messages, with the payloads; none if the sweep delivers them. */
	default List<Taken> read() {
		return List.of();
	}

	/** Acknowledges messages. */
	void acknowledge(List<Taken> handled);

	/** The number of stored messages. */
	long waiting();

	/**
	 * The result of a sweep.
	 *
	 * @param moved the number of moved messages
	 * @param nextDueMillis the next due time, ms since 1970, -1 if there is none
	 * @param delivered the messages that were read in the same call
	 */
	record Swept(long moved, long nextDueMillis, List<Taken> delivered) {
	}

	/**
	 * A delivered message.
	 *
	 * @param entry the stream entry
	 * @param id the id
	 * @param payload the payload
	 * @param token further data for the acknowledgement
	 */
	record Taken(String entry, String id, String payload, String token) {
	}

}
