/**
 * The API of delayqueue. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.DelayedListener}: a method that handles the messages of a
 * queue;</li>
 * <li>{@link io.delayqueue.DelayQueueOperations}: the bean that schedules, cancels,
 * reschedules and finds messages;</li>
 * <li>{@link io.delayqueue.ScheduleRequest}: one message, with its id, group, due time
 * and expiry.</li>
 * </ul>
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
