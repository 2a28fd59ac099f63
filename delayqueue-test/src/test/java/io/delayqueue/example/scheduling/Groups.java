package io.delayqueue.example.scheduling;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.GroupCancelResult;
import io.delayqueue.GroupPage;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;

import org.springframework.stereotype.Component;

import static java.time.Duration.ofMinutes;

@Component
class Groups {

	private final DelayQueueOperations delayQueue;

	Groups(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	ScheduleResult schedule(String event, String orderId, String userId) {
		return this.delayQueue.schedule(
				ScheduleRequest.to("order-timeout").payload(event).id(orderId).group(userId).delay(ofMinutes(15)));
	}

	long count(String userId) {
		return this.delayQueue.countGroup("order-timeout", userId);
	}

	GroupPage list(String userId) {
		return this.delayQueue.listGroup("order-timeout", userId, null, 100);
	}

	GroupCancelResult cancel(String userId) {
		return this.delayQueue.cancelGroup("order-timeout", userId);
	}

}
