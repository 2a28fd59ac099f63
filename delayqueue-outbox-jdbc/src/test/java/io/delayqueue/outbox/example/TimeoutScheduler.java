package io.delayqueue.outbox.example;

import io.delayqueue.DelayQueueOperations;

import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;

class TimeoutScheduler {

	private final DelayQueueOperations delayQueue;

	TimeoutScheduler(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	@Async
	@Transactional(propagation = Propagation.REQUIRES_NEW)
	@TransactionalEventListener
	public void schedule(OrderPlaced placed) {
		this.delayQueue.schedule(OrderService.timeoutOf(placed.orderId()));
	}

}
