package io.delayqueue.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;

/**
 * Schedules many messages of the limited queue for one moment, again and again, so that
 * they wait for their limits. Two of five belong to one group.
 */
final class LimitedProducer {

	private static final int PAUSE_MILLIS = 5500;

	static final int AT_ONCE = 120;

	/** Of 1000 messages. */
	private static final int HOLDS_QUEUE = 4;

	/** Of 1000 messages. */
	private static final int HOLDS_GROUP = 8;

	/** Of 1000 messages. */
	private static final int HANGS = 4;

	private final DelayQueueOperations queues;

	private final SoakPlan plan;

	private final Random random;

	private final Set<String> accepted = new HashSet<>();

	LimitedProducer(DelayQueueOperations queues, SoakPlan plan) {
		this.queues = queues;
		this.plan = plan;
		this.random = new Random(plan.seed() + 1);
	}

	/** The ids that Redis has accepted. */
	Set<String> accepted() {
		return this.accepted;
	}

	/** Schedules for the planned time. */
	void run() {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(this.plan.seconds());
		for (int number = 0; System.nanoTime() - end < 0; number += AT_ONCE) {
			List<ScheduleRequest> requests = new ArrayList<>();
			for (int i = 0; i < AT_ONCE; i++) {
				int group = (this.random.nextInt(4) == 0) ? 0 : this.random.nextInt(LimitedQueue.GROUPS);
				requests.add(ScheduleRequest.to(LimitedQueue.NAME)
					.id(LimitedQueue.id(number + i, group))
					.group(LimitedQueue.group(group))
					.payload(kind())
					.delay(Duration.ofMillis(200)));
			}
			for (ScheduleAnswer answer : this.queues.scheduleAll(requests)) {
				if (answer.isAccepted()) {
					this.accepted.add(answer.id());
				}
			}
			Faults.pause(PAUSE_MILLIS);
		}
	}

	private String kind() {
		int kind = this.random.nextInt(1000);
		return (kind < HOLDS_QUEUE) ? LimitedHandler.HOLDS_QUEUE
				: (kind < HOLDS_QUEUE + HOLDS_GROUP) ? LimitedHandler.HOLDS_GROUP
						: (kind < HOLDS_QUEUE + HOLDS_GROUP + HANGS && this.plan.hanging() > 0) ? LimitedHandler.HANGS
								: LimitedHandler.PLAIN;
	}

}
