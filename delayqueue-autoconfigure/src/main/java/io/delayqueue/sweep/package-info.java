/**
 * Moves due messages to the stream, for the queues that this process consumes. Never
 * handles a message; meets the other actors only in Redis and in the wake-ups of
 * {@code io.delayqueue.lifecycle}. Public for the auto-configuration, not API. Reading
 * on: {@code io.delayqueue.delivery}.
 */
@NullMarked
package io.delayqueue.sweep;

import org.jspecify.annotations.NullMarked;
