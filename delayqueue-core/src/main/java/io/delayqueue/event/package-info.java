/**
 * The application events of this library, which methods with {@code @EventListener} get.
 * Begin with:
 * <ul>
 * <li>{@link io.delayqueue.event.MessageDeadLetteredEvent}: a message has failed for
 * good;</li>
 * <li>{@link io.delayqueue.event.MessageExpiredEvent}: a message came too late to be
 * handled;</li>
 * <li>{@link io.delayqueue.event.MessagesLostEvent}: records of messages are gone.</li>
 * </ul>
 */
@NullMarked
package io.delayqueue.event;

import org.jspecify.annotations.NullMarked;
