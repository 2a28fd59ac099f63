/**
 * The messages of a partition in Redis: keys, scripts, the hint channel. One class per
 * step of a message: scheduled messages ({@link io.delayqueue.store.ScheduledMessages}),
 * due messages ({@link io.delayqueue.store.DueMessages}), ready messages
 * ({@link io.delayqueue.store.ReadyMessages}), pending messages
 * ({@link io.delayqueue.store.PendingMessages}), and counts
 * ({@link io.delayqueue.store.Snapshots}). This package makes no decisions and reads no
 * clock but that of Redis. Public for the other packages of this library, not API. Next
 * package: {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.store;

import org.jspecify.annotations.NullMarked;
