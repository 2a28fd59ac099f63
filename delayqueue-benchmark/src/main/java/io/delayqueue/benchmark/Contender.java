package io.delayqueue.benchmark;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The implementations of delayed messages that the benchmark measures.
 */
enum Contender {

	/** The starter in a Spring Boot application. */
	STARTER,

	/** Redisson's delayed queue with 8 consumers. */
	REDISSON_8,

	/** Redisson's delayed queue with 32 consumers. */
	REDISSON_32,

	/** Redisson's delayed queue with 100 consumers. */
	REDISSON_100,

	/** BullMQ, in a Node.js process. */
	BULLMQ,

	/** A client with minimal scripts and no checks. */
	RAW,

	/**
	 * A client with pipelines and the sweep script of {@link #RAW}, which shows the limit
	 * of Redis.
	 */
	RAW_PIPELINED,

	/**
	 * The client of {@link #RAW} with the scripts of the starter, which shows the cost of
	 * these scripts.
	 */
	SCRIPTS;

	/**
	 * Starts this implementation.
	 * @param target the Redis server and the settings to use
	 * @param handler receives the payload of each message
	 */
	Peer start(Target target, Consumer<String> handler) {
		return switch (this) {
			case STARTER -> new StarterPeer(target, handler);
			case REDISSON_8 -> new RedissonPeer(target, 8, handler);
			case REDISSON_32 -> new RedissonPeer(target, 32, handler);
			case REDISSON_100 -> new RedissonPeer(target, 100, handler);
			case BULLMQ -> new BullMqPeer(target, handler);
			case RAW -> new BarePeer(target, RawScripts::new, handler);
			case RAW_PIPELINED -> new PipelinedPeer(target, handler);
			case SCRIPTS -> new BarePeer(target, StarterScripts::new, handler);
		};
	}

	/**
	 * Returns the column of this contender in the table of results. All variants of
	 * Redisson have the same column, which shows the best variant.
	 */
	String column() {
		return isRedisson() ? "redisson" : toString();
	}

	boolean isRedisson() {
		return name().startsWith("REDISSON");
	}

	/**
	 * Returns the contenders with the given name or column; empty if there are none.
	 */
	static Set<Contender> named(String name) {
		return Arrays.stream(values())
			.filter((each) -> name.equalsIgnoreCase(each.toString()) || name.equalsIgnoreCase(each.column()))
			.collect(Collectors.toCollection(() -> EnumSet.noneOf(Contender.class)));
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
