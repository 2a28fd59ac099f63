package io.delayqueue.benchmark;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The measured implementations.
 */
enum Contender {

	/** The starter in an application. */
	STARTER,

	/** Redisson's delayed queue with 8 consumers. */
	REDISSON_8,

	/** Redisson's delayed queue with 32 consumers. */
	REDISSON_32,

	/** Redisson's delayed queue with 100 consumers. */
	REDISSON_100,

	/** A bare client with minimal scripts. */
	RAW,

	/** A client with pipelines and the same minimal scripts: the limit of Redis. */
	RAW_PIPELINED,

	/** The same bare client with the scripts of the starter: their cost. */
	SCRIPTS;

	/**
	 * Starts the implementation.
	 * @param target what it runs against
	 * @param handler receives the payload of each message
	 */
	Peer start(Target target, Consumer<String> handler) {
		return switch (this) {
			case STARTER -> new StarterPeer(target, handler);
			case REDISSON_8 -> new RedissonPeer(target, 8, handler);
			case REDISSON_32 -> new RedissonPeer(target, 32, handler);
			case REDISSON_100 -> new RedissonPeer(target, 100, handler);
			case RAW -> new BarePeer(target, RawScripts::new, handler);
			case RAW_PIPELINED -> new PipelinedPeer(target, handler);
			case SCRIPTS -> new BarePeer(target, StarterScripts::new, handler);
		};
	}

	/**
	 * The column of the table: Redisson has one column, which shows the best of its
	 * variants.
	 */
	String column() {
		return isRedisson() ? "redisson" : toString();
	}

	boolean isRedisson() {
		return name().startsWith("REDISSON");
	}

	/**
	 * The contenders of this name or column, which may be none.
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
