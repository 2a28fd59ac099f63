/**
 * Consumes one queue: permits, read, handling, settlement. Meets the sweeper only in
 * Redis and in the wake-ups of {@code io.delayqueue.lifecycle}; knows nothing of
 * annotations and methods. Public for the other rooms of this library, not API. Reading
 * on: {@code io.delayqueue.listener}.
 */
@NullMarked
package io.delayqueue.delivery;

import org.jspecify.annotations.NullMarked;
