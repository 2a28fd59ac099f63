/**
 * Moves due messages to the stream, for the queues that this process consumes. Never
 * handles a message. Interacts with the other actors only through Redis and the wake-ups
 * of {@code io.delayqueue.lifecycle}. Public for the auto-configuration, not API. Reading
 * on: {@code io.delayqueue.delivery}.
 */
@NullMarked
package io.delayqueue.fleet;

import org.jspecify.annotations.NullMarked;
