package io.delayqueue.outbox.autoconfigure;

import io.delayqueue.outbox.DelayQueueOutbox;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.jdbc.datasource.ConnectionHolder;

/**
 * Keeps in a native image the schema files, and what is looked up by name.
 */
final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/delayqueue/outbox/schema-*.sql");
		hints.reflection()
			.registerType(DelayQueueOutbox.class)
			.registerType(ConnectionHolder.class, MemberCategory.INVOKE_DECLARED_METHODS);
	}

}
