package io.delayqueue.example.history;

import java.util.List;
import java.util.Optional;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.MessageEnd;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.admin.DelayQueueAdmin;

import org.springframework.stereotype.Component;

/** Answers what happened to an order's timeout. */
@Component
class Answers {

	private final DelayQueueOperations delayQueue;

	private final DelayQueueAdmin admin;

	Answers(DelayQueueOperations delayQueue, DelayQueueAdmin admin) {
		this.delayQueue = delayQueue;
		this.admin = admin;
	}

	String whatHappenedTo(String order) {
		Optional<MessageSnapshot> found = this.delayQueue.find("order-timeout", order);
		MessageEnd end = found.map(MessageSnapshot::end).orElse(null);
		if (end != null) {
			return end.how() + " at " + end.at() + " in " + end.where();
		}
		return found.map((message) -> message.state().name()).orElse("unknown");
	}

	List<MessageSnapshot> latestEnds() {
		return this.admin.history("order-timeout", null, 100).messages();
	}

}
