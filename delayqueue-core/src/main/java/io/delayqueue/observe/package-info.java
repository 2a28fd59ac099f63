/**
 * Observability. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.observe.DelayQueueObservation}: the spans and their keys;</li>
 * <li>{@link io.delayqueue.observe.SchedulingContext}: the context of a call that
 * schedules;</li>
 * <li>{@link io.delayqueue.observe.ProcessingContext}: the context of a call of a
 * handler.</li>
 * </ul>
 *
 * <p>
 * The package has the observer interface that this library calls, its implementations for
 * meters and events, and the tracing spans of messages. An observer must neither break
 * nor delay delivery. The public types of this package are for other packages of this
 * library, and are not API, except {@link io.delayqueue.observe.DelayQueueObservation}
 * and the contexts of observations. Next package: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.observe;

import org.jspecify.annotations.NullMarked;
