/**
 * Orders that are cancelled unless they are paid in time, with at most three unpaid
 * orders for each user (queue {@code order-timeout}).
 * <p>
 * The order is the source of truth, not the message: each change of its status is one
 * compare-and-set in Redis, so a message that is delivered twice or too late changes
 * nothing. In the order of an order's life: {@code OrderController}, {@code Orders},
 * {@code OrderStore} (and its scripts), {@code OrderTimeoutListener};
 * {@code OrderReconciler} completes operations that a crash has interrupted.
 */
@NullMarked
package io.delayqueue.sample.orders;

import org.jspecify.annotations.NullMarked;
