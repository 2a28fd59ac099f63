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
 * @param executor the name of the bean that runs the handlers; {@code null} for threads
 * of the consumer's own
 * @param method the method on its bean
 */
record DelayedListenerEndpoint(String id, String queue, @Nullable Integer concurrency, boolean autoStartup,
		@Nullable String executor, ListenerMethod method) {

}
