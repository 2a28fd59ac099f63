package io.delayqueue.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;

/**
 * Schedules many messages of the limited queue for one moment, again and again, so that
 * they wait for their limits. Two of five belong to one group. The messages of each group
 * have the ids limited-0, limited-1 and so on. After the faults, when nothing else waits,
 * it schedules messages of all groups alike, which are to be delivered at the rate.
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

	/** The number of messages of each group so far. */
	private final int[] numbers = new int[LimitedQueue.GROUPS];

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
		while (System.nanoTime() - end < 0) {
			schedule(() -> (this.random.nextInt(4) == 0) ? 0 : this.random.nextInt(LimitedQueue.GROUPS), this::kind);
			Faults.pause(PAUSE_MILLIS);
		}
	}

	/**
	 * Schedules messages of all groups alike, and of no other kind than the usual one.
	 */
	void runUndisturbed() {
		for (int i = 0; i < 2; i++) {
			schedule(() -> this.random.nextInt(LimitedQueue.GROUPS), () -> LimitedHandler.PLAIN);
		}
	}

	private void schedule(IntSupplier groups, Supplier<String> kinds) {
		List<ScheduleRequest> requests = new ArrayList<>();
		List<String> names = new ArrayList<>();
		for (int i = 0; i < AT_ONCE; i++) {
			int group = groups.getAsInt();
			int number = this.numbers[group]++;
			names.add(LimitedQueue.name(number, group));
			requests.add(ScheduleRequest.to(LimitedQueue.NAME)
				.id(LimitedQueue.id(number))
				.group(LimitedQueue.group(group))
				.payload(kinds.get())
				.delay(Duration.ofMillis(200)));
		}
		List<ScheduleAnswer> answers = this.queues.scheduleAll(requests);
		for (int i = 0; i < AT_ONCE; i++) {
			if (answers.get(i).result() != null || answers.get(i).failure() instanceof InvalidMessageException) {
				this.accepted.add(names.get(i));
			}
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
