/**
 * The producer's side: checks and stores the messages that an application schedules,
 * repeats calls within their deadline, and notifies sweepers of a new head. This package
 * does not depend on sweeping or delivery. Only
 * {@link io.delayqueue.schedule.DelayQueueTemplate} is API. Next package:
 * {@code io.delayqueue.delivery}.
 */
@NullMarked
package io.delayqueue.schedule;

import org.jspecify.annotations.NullMarked;
