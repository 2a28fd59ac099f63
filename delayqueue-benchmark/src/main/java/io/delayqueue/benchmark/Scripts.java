package io.delayqueue.benchmark;

import java.util.List;

import redis.clients.jedis.Jedis;

/**
 * What a bare client says to Redis. Not for several threads: each has one of its own, as
 * it has a connection.
 */
interface Scripts {

	/** Makes a script set for one connection. */
	interface Factory {

		Scripts on(Jedis connection);

	}

	/** Stores messages. */
	void schedule(List<Message> messages);

	/**
	 * Moves what is due to the stream.
	 * @return how many, and when the next one is due
	 */
	Swept sweep();

	/** Takes what is ready, with the payloads. */
	List<Taken> read();

	/** Finishes messages. */
	void acknowledge(List<Taken> handled);

	/** How many messages there are. */
	long waiting();

	/**
	 * What a sweep did.
	 *
	 * @param moved messages that are ready now
	 * @param nextDueMillis when the next one is due, ms since 1970, -1 if there is none
	 */
	record Swept(long moved, long nextDueMillis) {
	}

	/**
	 * A message to be handled.
	 *
	 * @param entry the stream entry
	 * @param id the id
	 * @param payload the payload
	 * @param token what else the acknowledgement needs
	 */
	record Taken(String entry, String id, String payload, String token) {
	}

}
