package io.delayqueue.benchmark;

import java.util.Locale;
import java.util.function.Consumer;

import io.delayqueue.test.redis.RedisServer;

/**
 * Who takes part.
 */
enum Contender {

	/** The starter, as an application has it. */
	STARTER,

	/** Redisson's delayed queue. */
	REDISSON,

	/** A bare client with the smallest scripts that could do: what Redis can do. */
	RAW,

	/** The same bare client with the scripts of the starter: what they cost. */
	SCRIPTS;

	/**
	 * Starts.
	 * @param server where
	 * @param handler gets the payload of each message
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
