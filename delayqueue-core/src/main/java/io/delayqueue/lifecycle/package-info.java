/**
 * Runs the actors and lets them interact without depending on each other: the background
 * loop, the named wake-ups, and the gate that stops calls to an unreachable Redis.
 * Depends on the store's exception only, not on queue settings or messages. Public for
 * the other packages of this library, not API. Next package: {@code io.delayqueue.sweep}.
 */
@NullMarked
package io.delayqueue.lifecycle;

import org.jspecify.annotations.NullMarked;
