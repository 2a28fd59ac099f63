/**
 * The API of delayqueue: what an application calls, annotates and catches.
 *
 * <p>
 * A message's journey, in the order in which the rooms of this library see it:
 * <ol>
 * <li><b>schedule</b>: {@link io.delayqueue.DelayQueueOperations} stores the message in a
 * sorted set, by its due time;</li>
 * <li><b>sweep</b>: a sweeper moves what is due into a Redis Stream;</li>
 * <li><b>read</b>: a container reads it as a member of the stream's consumer group;</li>
 * <li><b>handle</b>: the method annotated with {@link io.delayqueue.DelayedListener}
 * runs;</li>
 * <li><b>settle</b>: the message is acknowledged, or set aside with its reason.</li>
 * </ol>
 * This package knows nothing of Redis. Its types are immutable and safe for use by
 * several threads. Reading on: {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
