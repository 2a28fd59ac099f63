package io.delayqueue.example.readme;

import java.time.Duration;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;

import org.springframework.stereotype.Service;

@Service
class Orders {

	private final Map<String, Order> orders = new ConcurrentHashMap<>();

	private final DelayQueueOperations delayQueue;

	Orders(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	void place(String orderId) {
		this.orders.put(orderId, new Order(orderId, false));
		this.delayQueue.schedule("order-timeout", new OrderTimeout(orderId), Duration.ofMinutes(15));
	}

	/** No order is paid in these tests. */
	void cancelIfUnpaid(String orderId) {
		this.orders.put(orderId, new Order(orderId, true));
	}

	Order find(String orderId) {
		return Optional.ofNullable(this.orders.get(orderId)).orElseThrow(NoSuchElementException::new);
	}

}
