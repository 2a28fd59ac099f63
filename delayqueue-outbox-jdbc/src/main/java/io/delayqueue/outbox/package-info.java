/**
 * Schedules messages as part of a database transaction: a row that the caller's
 * transaction writes becomes a message in Redis after the commit. Begin at
 * {@link io.delayqueue.outbox.DelayQueueOutbox}. The packages below are not API.
 */
@NullMarked
package io.delayqueue.outbox;

import org.jspecify.annotations.NullMarked;
