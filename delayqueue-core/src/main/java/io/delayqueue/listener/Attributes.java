package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

/**
 * The resolved attributes of one annotation; invalid attributes are absent.
 *
 * @param queue the queue's name, {@code null} if it is invalid
 * @param id the id, {@code null} if it is invalid
 * @param concurrency the concurrency, {@code null} if none is set
 * @param batching the batch attributes
 * @param autoStartup whether the container starts with the application
 * @param beans the beans that the annotation names
 * @param expired whether the method handles expired messages
 */
record Attributes(@Nullable String queue, @Nullable String id, @Nullable Integer concurrency, Batching batching,
		boolean autoStartup, BeanNames beans, boolean expired) {

}
