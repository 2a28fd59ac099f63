package io.delayqueue.soak;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.SteadyRate;
import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;
import io.delayqueue.soak.Caller.Due;

/**
 * Schedules messages at a steady rate. Makes further calls for some messages, one after
 * the other: changes, cancels and looks up messages that wait, run or have ended.
 */
final class SoakProducer {

	private static final List<Integer> DELAYS_MILLIS = List.of(0, 20, 200, 1000, 3000);

	/** Waits before a further call: often until the message is due or starts. */
	private static final List<Integer> PAUSES_MILLIS = List.of(0, 5, 20, 30, 200, 210, 1000);

	/** Of 10,000 messages. */
	private static final int FAIL_AT_FIRST = 300;

	/** Of 10,000 messages. */
	private static final int ALWAYS_FAIL = 50;

	/** Of 10,000 messages. */
	private static final int DEBOUNCED = 60;

	/** While a debounced message runs. */
	private static final int INTO_THE_RUN_MILLIS = 200;

	private static final int DEBOUNCE_MILLIS = 1000;

	/** The number of messages with a chosen id, of 100 messages. */
	private static final int CHOSEN = 25;

	/** The number of messages with further calls, of 100 messages. */
	private static final int CALLED_AGAIN = 40;

	private static final int MOST_CALLS_AGAIN = 3;

	private static final List<Operation> CALLS_AGAIN = List.of(Operation.CANCEL, Operation.CANCEL, Operation.CANCEL,
			Operation.RESCHEDULE, Operation.RESCHEDULE, Operation.RESCHEDULE, Operation.FIND, Operation.FIND,
			Operation.REPLACE, Operation.POSTPONE, Operation.KEEP, Operation.FAIL);

	/**
	 * The number of threads: more than the calls that can wait for an answer at once
	 * during an outage of Redis.
	 */
	private static final int THREADS = 48;

	private final Caller caller;

	private final SoakPlan plan;

	private final Random random;

	SoakProducer(DelayQueueOperations queues, SoakPlan plan, Writer journal) {
		this.caller = new Caller(queues, journal);
		this.plan = plan;
		this.random = new Random(plan.seed());
	}

	/** All calls and their answers. */
	List<Call> calls() {
		return this.caller.calls();
	}

	/** Schedules for the planned time; returns when the last call has its answer. */
	void run() {
		new SteadyRate(this.plan.seconds(), this.plan.rate(), THREADS, Duration.ofMinutes(5)).run(this::message);
	}

	/** A message and all calls for it. */
	private CompletableFuture<?> message(int index, Executor callers) {
		char kind = kind();
		String id = (this.random.nextInt(100) < CHOSEN) ? "chosen-" + index : "";
		Due due = new Due(true, oneOf(DELAYS_MILLIS));
		CompletableFuture<Call> calls = CompletableFuture.supplyAsync(
				() -> this.caller.call(id.isEmpty() ? Operation.SCHEDULE : Operation.KEEP, id, kind, due), callers);
		if (kind == SoakWorker.DEBOUNCED) {
			Operation operation = this.random.nextBoolean() ? Operation.POSTPONE : Operation.REPLACE;
			Executor later = CompletableFuture.delayedExecutor(due.millis() + INTO_THE_RUN_MILLIS,
					TimeUnit.MILLISECONDS, callers);
			return calls.thenApplyAsync((last) -> again(last, operation, true, DEBOUNCE_MILLIS), later);
		}
		int again = (this.random.nextInt(100) < CALLED_AGAIN) ? 1 + this.random.nextInt(MOST_CALLS_AGAIN) : 0;
		for (int i = 0; i < again; i++) {
			Operation operation = oneOf(CALLS_AGAIN);
			boolean fromNow = this.random.nextBoolean();
			int delay = oneOf(DELAYS_MILLIS);
			Executor later = CompletableFuture.delayedExecutor(oneOf(PAUSES_MILLIS), TimeUnit.MILLISECONDS, callers);
			calls = calls.thenApplyAsync((last) -> again(last, operation, fromNow, delay), later);
		}
		return calls;
	}

	/** A further call; a call without a message has no known id. */
	private Call again(Call last, Operation operation, boolean fromNow, int delayMillis) {
		if (last.operation() == Operation.SCHEDULE && last.answer() == Answer.NOT_ACCEPTED) {
			return last;
		}
		boolean hasDue = operation.stores() || operation == Operation.RESCHEDULE;
		return this.caller.call(operation, last.id(), last.kind(), !hasDue ? Due.NONE
				: fromNow ? new Due(true, delayMillis) : new Due(false, System.currentTimeMillis() + delayMillis));
	}

	private <T> T oneOf(List<T> values) {
		return values.get(this.random.nextInt(values.size()));
	}

	/** The first letter of a payload selects the behaviour of its handler. */
	private char kind() {
		int kind = this.random.nextInt(10_000);
		int hanging = this.plan.hanging();
		if (kind < hanging) {
			return (kind < hanging / 3) ? 'h' : 's';
		}
		int failing = hanging + ALWAYS_FAIL + FAIL_AT_FIRST;
		return (kind < hanging + ALWAYS_FAIL) ? 'x'
				: (kind < failing) ? 'f' : (kind < failing + DEBOUNCED) ? SoakWorker.DEBOUNCED : 'm';
	}

}
