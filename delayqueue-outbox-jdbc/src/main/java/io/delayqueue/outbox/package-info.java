/**
 * Schedules messages as part of a database transaction: a row that the caller's
 * transaction writes becomes a message in Redis after the commit. Applications begin with
 * {@link io.delayqueue.outbox.DelayQueueOutbox}. The subpackages of this package are not
 * API.
 */
@NullMarked
package io.delayqueue.outbox;

import org.jspecify.annotations.NullMarked;
