package io.delayqueue.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets native images have the scripts, and find what is looked for by its name.
 */
final class DelayQueueRuntimeHints implements RuntimeHintsRegistrar {

	private static final List<String> SCRIPTS = List.of("io/delayqueue/store/*.lua", "io/delayqueue/store/part/*.lua");

	private static final List<String> LOOKED_FOR = List.of("redis.clients.jedis.Jedis", "io.lettuce.core.RedisClient",
			"org.slf4j.MDC");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		SCRIPTS.forEach(hints.resources()::registerPattern);
		LOOKED_FOR.forEach((type) -> hints.reflection().registerTypeIfPresent(classLoader, type));
	}

}
