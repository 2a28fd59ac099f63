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

	/** A bare client with minimal scripts. */
	RAW,

	/** A client with pipelines and the same minimal scripts: the limit of Redis. */
	RAW_PIPELINED,

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
			case RAW_PIPELINED -> new PipelinedPeer(server, handler);
			case SCRIPTS -> new BarePeer(server, StarterScripts::new, handler);
		};
	}

	/**
	 * The contender of this name on the command line.
	 * @throws IllegalArgumentException if there is none
	 */
	static Contender named(String name) {
		return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
