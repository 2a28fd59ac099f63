package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

/**
 * An annotated method with its attributes resolved and checked.
 *
 * @param id the id of its container
 * @param queue the queue's name
 * @param concurrency how many messages are handled at once, 1 to 10,000; {@code null} for
 * what the queue's settings say
 * @param autoStartup whether its container starts with the application
 * @param beans the beans that the annotation names
 * @param method the method on its bean
 */
record DelayedListenerEndpoint(String id, String queue, @Nullable Integer concurrency, boolean autoStartup,
		BeanNames beans, ListenerMethod method) {

}
