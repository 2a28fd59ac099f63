package io.delayqueue.example.readme;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;

import org.springframework.stereotype.Component;

@Component
class Calls {

	private final DelayQueueOperations delayQueue;

	Calls(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	ScheduleResult schedule(String orderId, String userId, Instant instant) {
		return this.delayQueue.schedule(ScheduleRequest.to("order-timeout")
			.payload(new OrderTimeout(orderId))
			.id(orderId)
			.group(userId)
			.header("source", "shop")
			.dueAt(instant));
	}

	CancelResult cancel(String orderId) {
		return this.delayQueue.cancel("order-timeout", orderId);
	}

	RescheduleResult reschedule(String orderId) {
		return this.delayQueue.reschedule("order-timeout", orderId, Duration.ofMinutes(30));
	}

	Optional<MessageSnapshot> find(String orderId) {
		return this.delayQueue.find("order-timeout", orderId);
	}

	List<ScheduleAnswer> scheduleAll(List<ScheduleRequest> requests) {
		return this.delayQueue.scheduleAll(requests);
	}

	void scheduleAfterCommit(ScheduleRequest request) {
		this.delayQueue.scheduleAfterCommit(request);
	}

}
