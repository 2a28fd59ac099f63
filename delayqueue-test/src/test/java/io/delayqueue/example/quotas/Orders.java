package io.delayqueue.example.quotas;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;

class Orders {

	private final DelayQueueOperations delayQueue;

	Orders(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	void place(String user, String orderId) {
		try {
			this.delayQueue.schedule(ScheduleRequest.to("order-timeout")
				.id(orderId)
				.group(user)
				.payload(orderId)
				.delay(Duration.ofMinutes(15)));
		}
		catch (QuotaExceededException ex) {
			throw new TooManyOrdersException("Pay one of your " + ex.quota() + " orders first");
		}
	}

	static final class TooManyOrdersException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		TooManyOrdersException(String message) {
			super(message);
		}

	}

}
