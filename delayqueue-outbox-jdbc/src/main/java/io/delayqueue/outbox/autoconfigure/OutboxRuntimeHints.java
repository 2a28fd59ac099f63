package io.delayqueue.outbox.autoconfigure;

import io.delayqueue.outbox.DelayQueueOutbox;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Keeps in a native image the SQL scripts of the outbox table, and the class by which the
 * starter detects the outbox module.
 */
final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/delayqueue/outbox/schema-*.sql");
		hints.reflection().registerType(DelayQueueOutbox.class);
	}

}
