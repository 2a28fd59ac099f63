package io.delayqueue.autoconfigure;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Passes the recurring schedules of {@code @DelayedListener} methods to the engine, as
 * soon as one of these methods declares a schedule.
 */
final class DeclaredSchedulesStarter implements SmartInitializingSingleton {

	private final String application;

	private final DelayQueueEngine engine;

	private final ObjectProvider<DelayedListenerRegistry> registries;

	DeclaredSchedulesStarter(String application, DelayQueueEngine engine,
			ObjectProvider<DelayedListenerRegistry> registries) {
		this.application = application;
		this.engine = engine;
		this.registries = registries;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.registries.ifAvailable((registry) -> registry
			.onDeclared(() -> this.engine.declaredSchedules().declare(this.application, registry::declared)));
	}

}
