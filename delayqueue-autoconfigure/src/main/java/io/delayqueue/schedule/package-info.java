/**
 * The producer's side: checks and writes what an application schedules, repeats calls
 * within their deadline, and tells the sweepers of a new head. Knows nothing of sweeping
 * and delivery. Only {@link io.delayqueue.schedule.DelayQueueTemplate} is API. Reading
 * on: {@code io.delayqueue.sweep}.
 */
@NullMarked
package io.delayqueue.schedule;

import org.jspecify.annotations.NullMarked;
