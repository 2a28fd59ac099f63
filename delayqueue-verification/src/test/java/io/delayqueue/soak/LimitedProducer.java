package io.delayqueue.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;

/**
 * Schedules many messages of the limited queue for one moment, again and again, so that
 * they wait for their limits. Two of five belong to one group. The messages of each group
 * have the ids limited-0, limited-1 and so on.
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

	/**
	 * The messages that Redis has accepted, or must have: their id is new in their group.
	 */
	Set<String> accepted() {
		return this.accepted;
	}

	/** Schedules for the planned time. */
	void run() {
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(this.plan.seconds());
		int[] numbers = new int[LimitedQueue.GROUPS];
		while (System.nanoTime() - end < 0) {
			List<ScheduleRequest> requests = new ArrayList<>();
			List<String> names = new ArrayList<>();
			for (int i = 0; i < AT_ONCE; i++) {
				int group = (this.random.nextInt(4) == 0) ? 0 : this.random.nextInt(LimitedQueue.GROUPS);
				int number = numbers[group]++;
				names.add(LimitedQueue.name(number, group));
				requests.add(ScheduleRequest.to(LimitedQueue.NAME)
					.id(LimitedQueue.id(number))
					.group(LimitedQueue.group(group))
					.payload(kind())
					.delay(Duration.ofMillis(200)));
			}
			List<ScheduleAnswer> answers = this.queues.scheduleAll(requests);
			for (int i = 0; i < AT_ONCE; i++) {
				if (answers.get(i).result() != null || answers.get(i).failure() instanceof InvalidMessageException) {
					this.accepted.add(names.get(i));
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
