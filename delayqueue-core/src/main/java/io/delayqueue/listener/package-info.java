/**
 * The listeners of an application at run time. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.listener.DelayedListenerRegistry}: the bean that starts, stops
 * and registers listeners;</li>
 * <li>{@link io.delayqueue.listener.DelayedListenerContainer}: one running listener;</li>
 * <li>{@link io.delayqueue.listener.DelayQueueHeaders}: the names of the headers of a
 * message.</li>
 * </ul>
 *
 * <p>
 * The package turns methods annotated with {@link io.delayqueue.DelayedListener} into
 * running consumers:
 * <ol>
 * <li>the post-processor finds the methods on the beans of the application;</li>
 * <li>each method becomes an endpoint: its attributes are resolved, and its signature is
 * checked. All faults of all endpoints are reported together and fail the start;</li>
 * <li>each endpoint gets a container, which wraps a consumer of its queue and also calls
 * the method for expired messages of the queue;</li>
 * <li>the registry starts and stops the containers with the application, or on
 * request;</li>
 * <li>each delivery passes through the interceptors; then the arguments are resolved and
 * the method is called; the error handler gets the exceptions of these two steps. For a
 * batch, the library converts each delivery, and calls the method once.</li>
 * </ol>
 * The registry, the containers, the header names and the exception of this package are
 * for applications; the other public types are for this library's own wiring. This
 * package does not depend on Redis, and its only threads are those that stop containers.
 * Next package: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.listener;

import org.jspecify.annotations.NullMarked;
