/**
 * Schedules messages as part of a database transaction: a row that the caller's
 * transaction writes becomes a message in Redis after the commit. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.outbox.DelayQueueOutbox}: the bean that schedules, cancels and
 * reschedules;</li>
 * <li>{@link io.delayqueue.outbox.DelayQueueOutboxAdmin}: the bean that lists, retries
 * and removes failed rows;</li>
 * <li>{@link io.delayqueue.outbox.DelayQueueOutboxDataSource}: marks the data source of
 * the outbox, if there are several.</li>
 * </ul>
 * The subpackages are not API.
 */
@NullMarked
package io.delayqueue.outbox;

import org.jspecify.annotations.NullMarked;
