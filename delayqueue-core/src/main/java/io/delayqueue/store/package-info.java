/**
 * The messages of a partition in Redis: keys, scripts and the channels of hints. The
 * classes in the order of a message's life:
 * {@link io.delayqueue.store.ScheduledMessages}, {@link io.delayqueue.store.DueMessages},
 * {@link io.delayqueue.store.ReadyMessages}, {@link io.delayqueue.store.PendingMessages};
 * {@link io.delayqueue.store.Snapshots} counts messages. The classes of this package make
 * no decisions, and read no clock other than that of Redis. They are public for the other
 * packages of this library, and not API. The next package to read is
 * {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.store;

import org.jspecify.annotations.NullMarked;
