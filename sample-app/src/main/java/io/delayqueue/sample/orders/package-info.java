/**
 * Orders that are cancelled unless they are paid in time, with at most three unpaid
 * orders for each user (queue {@code order-timeout}).
 * <p>
 * The order is the source of truth, not the message: each change of its status is one
 * compare-and-set, so a message that is delivered twice or too late changes nothing. The
 * classes in the sequence of an order's life: {@code OrderController},
 * {@code OrdersInRedis}, {@code OrderStore} (and its scripts),
 * {@code OrderTimeoutListener}; {@code OrderReconciler} completes operations that a crash
 * has interrupted. With the profile {@code database}, {@code OrdersInDatabase} replaces
 * the three classes that keep orders in Redis.
 */
@NullMarked
package io.delayqueue.sample.orders;

import org.jspecify.annotations.NullMarked;
