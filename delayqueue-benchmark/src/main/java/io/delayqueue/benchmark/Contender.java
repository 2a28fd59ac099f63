package io.delayqueue.benchmark;

import java.util.Locale;
import java.util.function.Consumer;

import io.delayqueue.test.redis.RedisServer;

/**
 * The measured implementations.
 */
enum Contender {

	/** The starter in an application. */
	STARTER,

	/** Redisson's delayed queue. */
	REDISSON,

	/** A bare client with minimal scripts: the limit of Redis. */
	RAW,

	/** The same bare client with the scripts of the starter: their cost. */
	SCRIPTS;

	/**
	 * Starts the implementation.
	 * @param server the server
	 * @param handler receives the payload of each message
	 */
	Peer start(RedisServer server, Consumer<String> handler) {
		return switch (this) {
			case STARTER -> new StarterPeer(server, handler);
			case REDISSON -> new RedissonPeer(server, handler);
			case RAW -> new BarePeer(server, RawScripts::new, handler);
			case SCRIPTS -> new BarePeer(server, StarterScripts::new, handler);
		};
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
