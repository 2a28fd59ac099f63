/**
 * Consumes one queue: permits, sweep and read, handling, settlement. Begin with
 * {@link io.delayqueue.delivery.RunningConsumer}. This package does not depend on
 * annotations and methods. Public types are for other packages of this library, not API.
 * Next package: {@code io.delayqueue.listener}.
 */
@NullMarked
package io.delayqueue.delivery;

import org.jspecify.annotations.NullMarked;
