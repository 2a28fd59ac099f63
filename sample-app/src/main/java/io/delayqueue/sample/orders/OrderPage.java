package io.delayqueue.sample.orders;

import java.util.List;

/**
 * Some of the orders that match a search.
 *
 * @param orders the newest ones, newest first
 * @param total how many match; a moment's count
 */
record OrderPage(List<Order> orders, long total) {

}
