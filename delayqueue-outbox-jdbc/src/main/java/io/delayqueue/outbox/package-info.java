/**
 * Schedules messages inside a database transaction: a row of the caller's transaction
 * becomes a message after the commit. Begin at
 * {@link io.delayqueue.outbox.DelayQueueOutbox}. The packages below are not API.
 */
@NullMarked
package io.delayqueue.outbox;

import org.jspecify.annotations.NullMarked;
