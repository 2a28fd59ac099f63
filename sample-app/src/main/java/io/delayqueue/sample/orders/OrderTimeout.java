package io.delayqueue.sample.orders;

/**
 * The payload of a delayed message: the time to pay an order has passed.
 *
 * @param orderId the order's id
 */
record OrderTimeout(String orderId) {

}
