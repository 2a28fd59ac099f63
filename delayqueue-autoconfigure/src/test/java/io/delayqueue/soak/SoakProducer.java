package io.delayqueue.soak;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleRequest;

/**
 * Schedules messages at a steady rate and remembers what each call said.
 */
final class SoakProducer {

	private static final List<Duration> DELAYS = List.of(Duration.ZERO, Duration.ofMillis(20), Duration.ofMillis(200),
			Duration.ofSeconds(1), Duration.ofSeconds(3));

	/** Of 10,000 messages. */
	private static final int FAIL_AT_FIRST = 300;

	/** Of 10,000 messages. */
	private static final int ALWAYS_FAIL = 50;

	/** More than can wait for an answer at once while Redis is away. */
	private static final int THREADS = 32;

	private final DelayQueueOperations queues;

	private final SoakPlan plan;

	private final Random random;

	private final Map<String, Call> calls = new ConcurrentHashMap<>();

	SoakProducer(DelayQueueOperations queues, SoakPlan plan) {
		this.queues = queues;
		this.plan = plan;
		this.random = new Random(plan.seed());
	}

	/** What a call said. */
	enum Outcome {

		/** The message will be handled. */
		ACCEPTED,

		/** It will not. */
		NOT_ACCEPTED,

		/** It may. */
		UNKNOWN

	}

	/**
	 * A call.
	 *
	 * @param outcome what it said
	 * @param dueMillis when the message is due, 0 if that is not known
	 */
	record Call(Outcome outcome, long dueMillis) {
	}

	/** By id. */
	Map<String, Call> calls() {
		return Map.copyOf(this.calls);
	}

	/** Schedules for as long as planned; returns when the last call has its answer. */
	void run() {
		ExecutorService callers = Executors.newFixedThreadPool(THREADS);
		long began = System.nanoTime();
		int all = this.plan.seconds() * this.plan.rate();
		for (int i = 0; i < all; i++) {
			long at = began + i * (TimeUnit.SECONDS.toNanos(1) / this.plan.rate());
			while (System.nanoTime() < at) {
				LockSupport.parkNanos(at - System.nanoTime());
			}
			String id = kind() + "-" + i;
			Duration delay = DELAYS.get(this.random.nextInt(DELAYS.size()));
			callers.execute(() -> this.calls.put(id, call(id, delay)));
		}
		callers.shutdown();
		try {
			if (!callers.awaitTermination(2, TimeUnit.MINUTES)) {
				throw new IllegalStateException("Calls without an end");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** The first letter of an id says what its handler does. */
	private String kind() {
		int kind = this.random.nextInt(10_000);
		int hanging = this.plan.hanging();
		if (kind < hanging) {
			return (kind < hanging / 3) ? "h" : "s";
		}
		return (kind < hanging + ALWAYS_FAIL) ? "x" : (kind < hanging + ALWAYS_FAIL + FAIL_AT_FIRST) ? "f" : "m";
	}

	private Call call(String id, Duration delay) {
		try {
			Instant due = this.queues.schedule(ScheduleRequest.to(SoakPlan.QUEUE).id(id).payload("p").delay(delay))
				.dueAt();
			// Nobody else uses this id: if it is known already, then by an earlier try of
			// this call
			return new Call(Outcome.ACCEPTED, (due != null) ? due.toEpochMilli() : 0);
		}
		catch (ScheduleOutcomeUnknownException ex) {
			return new Call(Outcome.UNKNOWN, 0);
		}
		catch (DelayQueueException ex) {
			return new Call(Outcome.NOT_ACCEPTED, 0);
		}
	}

}
