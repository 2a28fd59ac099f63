/**
 * Turns methods annotated with {@link io.delayqueue.DelayedListener} into running
 * consumers:
 * <ol>
 * <li>the post-processor finds the methods on the beans of the application;</li>
 * <li>each becomes an endpoint: its attributes resolved, its signature checked. All
 * faults of all endpoints stop the start, together;</li>
 * <li>each endpoint gets a container, which wraps a consumer of its queue;</li>
 * <li>the registry starts and stops the containers with the application, or by hand;</li>
 * <li>for each delivery the interceptors run, within them the error handler, within that
 * the arguments are resolved and the method is called. For a batch the arguments of each
 * delivery are resolved, and the method is called once.</li>
 * </ol>
 * The registry, the containers, the header names and the exception are for applications;
 * the other public types are for this library's own wiring. This room knows nothing of
 * Redis and has no threads of its own but those that stop containers. Reading on:
 * {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.listener;

import org.jspecify.annotations.NullMarked;
