package io.delayqueue.example.readme;

import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;

import org.springframework.stereotype.Component;

import static java.time.Duration.ofMinutes;

@Component
class Reports {

	private final Partner partner;

	private final DelayQueueOperations delayQueue;

	Reports(Partner partner, DelayQueueOperations delayQueue) {
		this.partner = partner;
		this.delayQueue = delayQueue;
	}

	@DelayedListener(queue = "report", batch = "128", batchWait = "200ms", groupBy = true)
	void report(List<Behaviour> behaviours) {
		this.partner.report(behaviours);
	}

	ScheduleResult debounced(ScheduleRequest request) {
		return this.delayQueue.schedule(request.onDuplicate(DuplicatePolicy.postpone(ofMinutes(1))));
	}

	record Behaviour(String game, String text) {
	}

	interface Partner {

		void report(List<Behaviour> behaviours);

	}

}
