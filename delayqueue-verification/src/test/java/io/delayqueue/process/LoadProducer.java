package io.delayqueue.process;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.process.LoadCall.Operation;
import io.delayqueue.process.LoadCall.Target;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.SteadyRate;

/**
 * Schedules messages at a steady rate, cancels, reschedules, looks up and repeats some of
 * them. Each call goes to one of several producers, whose knowledge of the partition
 * count differs for a moment. The calls for an id follow one another, except for repeated
 * schedules. Records each call with its answer.
 */
final class LoadProducer {

	private static final List<Integer> DELAYS_MILLIS = List.of(0, 20, 200, 200, 1000, 1000, 3000, 8000);

	private static final List<Integer> PAUSES_MILLIS = List.of(0, 5, 20, 190, 210, 900, 1500);

	private static final List<Operation> CALLS_AGAIN = List.of(Operation.CANCEL, Operation.CANCEL, Operation.RESCHEDULE,
			Operation.RESCHEDULE, Operation.SCHEDULE, Operation.SCHEDULE, Operation.FIND);

	static final int THREADS = 32;

	static final int LIMITED_GROUPS = 100;

	private static final int STRICT_GROUPS = 60;

	/** The distance, in messages, after which an id is used again. */
	private static final int USED_AGAIN = 4000;

	private final List<DelayQueueOperations> producers;

	private final Writer journal;

	private final LoadPlan plan;

	private final Random random;

	private final AtomicInteger numbers = new AtomicInteger();

	private final Queue<LoadCall> calls = new ConcurrentLinkedQueue<>();

	LoadProducer(List<DelayQueueOperations> producers, Writer journal, LoadPlan plan) {
		this.producers = List.copyOf(producers);
		this.journal = journal;
		this.plan = plan;
		this.random = new Random(plan.seed());
	}

	List<LoadCall> calls() {
		return List.copyOf(this.calls);
	}

	/** Schedules for the planned time; returns when the last call has its answer. */
	void run() {
		new SteadyRate(this.plan.seconds(), this.plan.rate(), THREADS, Duration.ofMinutes(2)).run(this::message);
	}

	/** A message and all calls for it. */
	private CompletableFuture<?> message(int index, Executor callers) {
		boolean isRepeated = this.random.nextInt(10) == 0;
		Target target = target(isRepeated ? Math.max(0, index - this.random.nextInt(USED_AGAIN)) : index);
		int delay = oneOf(DELAYS_MILLIS);
		String work = work();
		CompletableFuture<LoadCall> calls = later(0, callers, () -> call(Operation.SCHEDULE, target, delay, work));
		if (isRepeated) {
			return calls;
		}
		if (this.random.nextInt(20) == 0) {
			// At the same time
			CompletableFuture<LoadCall> twin = later(0, callers, () -> call(Operation.SCHEDULE, target, delay, work));
			calls = calls.thenCombine(twin, (first, second) -> first);
		}
		int again = (this.random.nextInt(10) < 2) ? 1 + this.random.nextInt(3) : 0;
		for (int i = 0; i < again; i++) {
			Operation operation = oneOf(CALLS_AGAIN);
			int newDelay = oneOf(DELAYS_MILLIS);
			int pause = oneOf(PAUSES_MILLIS);
			calls = calls.thenCompose((last) -> later(pause, callers,
					() -> last.id().isEmpty() ? last : call(operation, last.target(), newDelay, work)));
		}
		return calls;
	}

	private static CompletableFuture<LoadCall> later(int millis, Executor callers, Supplier<LoadCall> call) {
		return CompletableFuture.supplyAsync(call,
				(millis == 0) ? callers : CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, callers));
	}

	/** The name of a message by its number: the same number names the same message. */
	private Target target(int number) {
		return switch (number % 20) {
			case 0 -> new Target("paused", "p-" + number, (number % 40 == 0) ? "pg-" + group(number, 7) : "");
			case 1, 2, 3, 4, 5, 6 -> new Target("limited", "l-" + number, "lg-" + group(number, LIMITED_GROUPS));
			case 7, 8, 9, 10, 11, 12 -> new Target("strict", "s-" + number, "sg-" + group(number, STRICT_GROUPS));
			case 13 -> new Target("chosen", "", "");
			default -> new Target("chosen", "c-" + number, "");
		};
	}

	private static int group(int number, int groups) {
		return new Random(number).nextInt(groups);
	}

	private String work() {
		int kind = this.random.nextInt(1000);
		return (kind < 5) ? "dead" : (kind < 35) ? "fail" : "done";
	}

	LoadCall call(Operation operation, Target target, long delayMillis, String work) {
		DelayQueueOperations queues = this.producers.get(ThreadLocalRandom.current().nextInt(this.producers.size()));
		int number = this.numbers.incrementAndGet();
		String id = target.id();
		String answer;
		long dueMillis = 0;
		long called = System.currentTimeMillis();
		try {
			switch (operation) {
				case SCHEDULE -> {
					ScheduleResult result = queues.schedule(request(target, number, delayMillis, work));
					id = result.id();
					answer = result.outcome().name();
					dueMillis = (result.dueAt() != null) ? result.dueAt().toEpochMilli() : 0;
				}
				case CANCEL -> answer = queues.cancel(key(target)).name();
				case RESCHEDULE -> answer = queues.reschedule(key(target), Duration.ofMillis(delayMillis)).name();
				case FIND ->
					answer = queues.find(key(target)).map(MessageSnapshot::state).map(Enum::name).orElse("NOT_FOUND");
				default -> throw new IllegalStateException(operation.name());
			}
		}
		catch (QuotaExceededException full) {
			answer = "QUOTA";
		}
		catch (RuntimeException ex) {
			answer = Objects.toString(ex).replace(' ', '_').replace('\n', '_');
		}
		LoadCall call = new LoadCall(number, operation, new Target(target.queue(), id, target.group()), delayMillis,
				work, answer, called, System.currentTimeMillis(), dueMillis);
		this.calls.add(call);
		this.journal.add("call", call.name(), 0, call);
		return call;
	}

	private static ScheduleRequest request(Target target, int number, long delayMillis, String work) {
		ScheduleRequest request = ScheduleRequest.to(target.queue())
			.payload(target.queue() + "/" + number + " " + work)
			.delay(Duration.ofMillis(delayMillis))
			.onDuplicate(DuplicatePolicy.keep());
		if (!target.id().isEmpty()) {
			request = request.id(target.id());
		}
		return target.group().isEmpty() ? request : request.group(target.group());
	}

	/**
	 * The key has the group, or sometimes no group, so that the call goes to all
	 * partitions.
	 */
	private static MessageKey key(Target target) {
		MessageKey key = MessageKey.of(target.queue(), target.id());
		return (target.group().isEmpty() || ThreadLocalRandom.current().nextInt(10) == 0) ? key
				: key.inGroup(target.group());
	}

	private <T> T oneOf(List<T> values) {
		return values.get(this.random.nextInt(values.size()));
	}

}
