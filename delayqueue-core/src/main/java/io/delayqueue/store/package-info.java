/**
 * The messages of a partition in Redis: keys, scripts, the hint channel. One class per
 * side of a partition: scheduled messages
 * ({@link io.delayqueue.store.ScheduledMessages}), due messages
 * ({@link io.delayqueue.store.DueMessages}), ready messages
 * ({@link io.delayqueue.store.ReadyMessages}), and counts
 * ({@link io.delayqueue.store.Snapshots}). Makes no decisions and reads no clock of its
 * own. Public for the other packages of this library, not API. Next package:
 * {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.store;

import org.jspecify.annotations.NullMarked;
