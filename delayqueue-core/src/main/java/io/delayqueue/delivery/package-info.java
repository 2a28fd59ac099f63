/**
 * Consumes one queue: permits, read, handling, settlement. Begin with
 * {@link io.delayqueue.delivery.RunningConsumer}. Meets the sweeper only in Redis and in
 * the wake-ups of {@code io.delayqueue.lifecycle}; does not depend on annotations and
 * methods. Public types are for other packages of this library, not API. Next package:
 * {@code io.delayqueue.listener}.
 */
@NullMarked
package io.delayqueue.delivery;

import org.jspecify.annotations.NullMarked;
