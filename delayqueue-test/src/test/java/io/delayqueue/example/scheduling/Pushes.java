package io.delayqueue.example.scheduling;

import java.time.Instant;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;

import org.springframework.stereotype.Component;

import static java.time.Duration.ofMinutes;

@Component
class Pushes {

	private final DelayQueueOperations delayQueue;

	Pushes(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	ScheduleResult schedule(String p, Instant nine, Instant ten) {
		return this.delayQueue.schedule(ScheduleRequest.to("push").payload(p).dueAt(nine).expiresAt(ten));
	}

	ScheduleResult spread(String p, String user, Instant nine) {
		return this.delayQueue
			.schedule(ScheduleRequest.to("push").id(user).payload(p).dueAt(nine).within(ofMinutes(10)));
	}

}
