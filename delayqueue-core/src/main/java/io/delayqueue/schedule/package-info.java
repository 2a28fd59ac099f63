/**
 * The package for producers: checks and stores the messages that an application
 * schedules, and repeats failed calls to Redis until their deadline. If a new message is
 * due before all other messages of its partition, the package notifies the process that
 * sweeps the partition. This package does not depend on the packages for sweeping and
 * delivery. Only {@link io.delayqueue.schedule.DelayQueueTemplate} is API. Next package:
 * {@code io.delayqueue.delivery}.
 */
@NullMarked
package io.delayqueue.schedule;

import org.jspecify.annotations.NullMarked;
