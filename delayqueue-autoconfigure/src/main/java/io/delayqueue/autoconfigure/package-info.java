/**
 * Auto-configurations and {@code delayqueue.*} properties. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.autoconfigure.DelayQueueProperties}: all properties;</li>
 * <li>{@link io.delayqueue.autoconfigure.DelayQueueRedis}: marks the connection factory
 * for delayed messages, if there are several;</li>
 * <li>{@link io.delayqueue.autoconfigure.DelayQueueAutoConfiguration}: the beans that an
 * application can replace.</li>
 * </ul>
 * This package connects the other packages and contains no delivery logic.
 */
@NullMarked
package io.delayqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
