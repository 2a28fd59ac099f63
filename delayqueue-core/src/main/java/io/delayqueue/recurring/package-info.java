/**
 * Recurring schedules: stores their definitions, and advances the definitions in
 * partitions that this process owns. This package never handles a message. Interacts with
 * the other actors only through Redis and the wake-ups of
 * {@code io.delayqueue.lifecycle}. Public for the auto-configuration, not API. Reading
 * on: {@code io.delayqueue.maintain}.
 */
@NullMarked
package io.delayqueue.recurring;

import org.jspecify.annotations.NullMarked;
