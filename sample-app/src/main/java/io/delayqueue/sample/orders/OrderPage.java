package io.delayqueue.sample.orders;

import java.util.List;

/**
 * A page of the orders that match a search.
 *
 * @param orders the newest matching orders, the newest first
 * @param total the number of matching orders at one moment
 */
record OrderPage(List<Order> orders, long total) {

}
