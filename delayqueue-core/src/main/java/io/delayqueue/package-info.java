/**
 * The API of delayqueue: the interfaces, annotations and exceptions that an application
 * uses.
 *
 * <p>
 * A message of a queue passes these stages:
 * <ol>
 * <li><b>schedule</b>: {@link io.delayqueue.DelayQueueOperations} stores the message in a
 * sorted set, with its due time as the score;</li>
 * <li><b>sweep</b>: a sweeper moves due messages from the sorted set to a Redis
 * Stream;</li>
 * <li><b>read</b>: a container reads the message as a consumer of the stream's consumer
 * group;</li>
 * <li><b>handle</b>: the method annotated with {@link io.delayqueue.DelayedListener}
 * runs;</li>
 * <li><b>settle</b>: the message is acknowledged, retried or dead-lettered.</li>
 * </ol>
 * The package {@code io.delayqueue} does not depend on Redis. The types of this package
 * are immutable and thread-safe unless stated otherwise. Next package:
 * {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue;

import org.jspecify.annotations.NullMarked;
