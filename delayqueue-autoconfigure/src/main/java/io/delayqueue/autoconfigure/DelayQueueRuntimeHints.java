package io.delayqueue.autoconfigure;

import java.util.List;

import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the Lua scripts, the classes that are looked up by name, and the methods that
 * are called by reflection, for native images.
 */
final class DelayQueueRuntimeHints implements RuntimeHintsRegistrar {

	private static final List<String> SCRIPTS = List.of("io/delayqueue/store/*.lua", "io/delayqueue/store/part/*.lua");

	private static final List<String> CLASSES_BY_NAME = List.of("org.slf4j.MDC",
			"io.delayqueue.outbox.DelayQueueOutbox",
			"org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		SCRIPTS.forEach(hints.resources()::registerPattern);
		CLASSES_BY_NAME.forEach((type) -> hints.reflection().registerTypeIfPresent(classLoader, type));
		hints.proxies().registerJdkProxy(QueueObserver.class);
		hints.reflection().registerType(QueueObserver.class, MemberCategory.INVOKE_PUBLIC_METHODS);
	}

}
