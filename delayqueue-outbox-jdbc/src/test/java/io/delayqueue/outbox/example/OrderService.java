package io.delayqueue.outbox.example;

import java.time.Duration;

import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.DelayQueueOutbox;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

class OrderService {

	private final JdbcTemplate orders;

	private final DelayQueueOutbox outbox;

	private final ApplicationEventPublisher events;

	OrderService(JdbcTemplate orders, DelayQueueOutbox outbox, ApplicationEventPublisher events) {
		this.orders = orders;
		this.outbox = outbox;
		this.events = events;
	}

	@Transactional
	public void place(String orderId) {
		this.orders.update("INSERT INTO orders (id, paid) VALUES (?, false)", orderId);
		this.outbox.schedule(timeoutOf(orderId));
	}

	@Transactional
	public void pay(String orderId) {
		this.orders.update("UPDATE orders SET paid = true WHERE id = ?", orderId);
		this.outbox.cancel("order-timeout", orderId);
	}

	@Transactional
	public void placeAndPublish(String orderId) {
		this.orders.update("INSERT INTO orders (id, paid) VALUES (?, false)", orderId);
		this.events.publishEvent(new OrderPlaced(orderId));
	}

	static ScheduleRequest timeoutOf(String orderId) {
		return ScheduleRequest.to("order-timeout").id(orderId).payload(orderId).delay(Duration.ofMinutes(15));
	}

}
