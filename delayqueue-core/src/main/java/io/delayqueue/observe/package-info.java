/**
 * Observability: the observer interface that the actors call, its implementations for
 * meters and events, and the spans of messages. An observer must neither break nor delay
 * delivery. Public for the other packages of this library and not API, except
 * {@link io.delayqueue.observe.DelayQueueObservation} and the contexts of observations.
 * Next package: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.observe;

import org.jspecify.annotations.NullMarked;
