/**
 * The messages of a partition in Redis: keys, scripts and the channels of hints. Each
 * step of a message has a class: scheduled messages
 * ({@link io.delayqueue.store.ScheduledMessages}), due messages
 * ({@link io.delayqueue.store.DueMessages}), ready messages
 * ({@link io.delayqueue.store.ReadyMessages}), pending messages
 * ({@link io.delayqueue.store.PendingMessages}), and counts
 * ({@link io.delayqueue.store.Snapshots}). The classes of this package make no decisions,
 * and read no clock other than that of Redis. They are public for the other packages of
 * this library, and not API. The next package to read is {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.store;

import org.jspecify.annotations.NullMarked;
