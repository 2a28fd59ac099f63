/**
 * Everything that is Redis-shaped: keys, scripts, the form of a record, the hint channel,
 * and what an error of Redis means. One class per side of a partition: what waits
 * ({@link io.delayqueue.store.ScheduledMessages}), what is due
 * ({@link io.delayqueue.store.DueMessages}), what is ready
 * ({@link io.delayqueue.store.ReadyMessages}), and what can be counted
 * ({@link io.delayqueue.store.Snapshots}). Decides nothing and keeps no time of its own.
 * Public for the other rooms of this library, not API. Reading on:
 * {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.store;

import org.jspecify.annotations.NullMarked;
