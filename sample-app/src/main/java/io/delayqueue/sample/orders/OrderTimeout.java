package io.delayqueue.sample.orders;

/**
 * The message: the time to pay an order is up.
 *
 * @param orderId the order
 */
record OrderTimeout(String orderId) {

}
