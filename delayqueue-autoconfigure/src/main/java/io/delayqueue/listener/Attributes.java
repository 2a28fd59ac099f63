package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

/**
 * The resolved attributes of one annotation; what is at fault is absent.
 *
 * @param queue the queue's name, {@code null} if it is at fault
 * @param id the id, {@code null} if it is at fault
 * @param concurrency the concurrency, {@code null} if there is none
 * @param batching what it says about batches
 * @param autoStartup whether the container starts with the application
 * @param beans the beans that it names
 * @param expired whether the method takes messages that have expired
 */
record Attributes(@Nullable String queue, @Nullable String id, @Nullable Integer concurrency, Batching batching,
		boolean autoStartup, BeanNames beans, boolean expired) {

}
