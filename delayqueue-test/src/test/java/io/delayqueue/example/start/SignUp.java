package io.delayqueue.example.start;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;

import org.springframework.stereotype.Service;

@Service
class SignUp {

	private final DelayQueueOperations delayQueue;

	SignUp(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	void register(String user, String address) {
		this.delayQueue.schedule(
				ScheduleRequest.to("welcome").id(user).payload(new Welcome(user, address)).delay(Duration.ofDays(3)));
	}

	void leave(String user) {
		this.delayQueue.cancel("welcome", user);
	}

}
