/**
 * Orders that are cancelled unless they are paid in time, at most three unpaid ones of a
 * user (queue {@code order-timeout}).
 * <p>
 * The order decides, not the message: each change of its status is one compare-and-set in
 * Redis, so a message that comes twice or too late changes nothing. In the order of an
 * order's life: {@code OrderController}, {@code Orders}, {@code OrderStore} (and its
 * scripts), {@code OrderTimeoutListener}; {@code OrderUpkeep} mends what a crash between
 * two steps left undone.
 */
@NullMarked
package io.delayqueue.sample.orders;

import org.jspecify.annotations.NullMarked;
