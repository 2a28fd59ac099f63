package io.delayqueue.soak;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RecurringOperations;
import io.delayqueue.ScheduleResult;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.soak.RecurringQueue.Call;
import io.delayqueue.soak.RecurringQueue.Definition;
import io.delayqueue.soak.RecurringQueue.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Stores schedules that stay as they are, and changes others all the time, one call after
 * the other. In each third of the soak the queue has another partition count.
 */
final class RecurringProducer {

	private static final int STEADY = 24;

	private static final int CHANGED = 12;

	private static final int GROUPS = 4;

	private static final int LONGEST_PAUSE_MILLIS = 400;

	private static final int AFTER_FAILURE_MILLIS = 100;

	private static final List<Integer> PARTITIONS = List.of(3, 1);

	private static final List<Operation> OPERATIONS = List.of(Operation.PUT, Operation.PUT, Operation.PUT,
			Operation.PAUSE, Operation.RESUME, Operation.RESUME, Operation.DELETE, Operation.RUN, Operation.PURGE,
			Operation.CANCEL_GROUP);

	private final RecurringOperations schedules;

	private final DelayQueueOperations queues;

	private final DelayQueueAdmin admin;

	private final SoakPlan plan;

	private final Writer journal;

	private final Random random;

	private final List<Call> calls = new ArrayList<>();

	private int versions;

	RecurringProducer(DelayQueueEngine engine, SoakPlan plan, Writer journal) {
		this.schedules = engine.recurring();
		this.queues = engine.operations();
		this.admin = engine.admin();
		this.plan = plan;
		this.journal = journal;
		this.random = new Random(plan.seed() + 2);
	}

	/** All calls and their answers. */
	List<Call> calls() {
		return this.calls;
	}

	/** Calls for the planned time, and then removes the schedules that have no end. */
	void run() {
		Instant began = Instant.ofEpochMilli(System.currentTimeMillis());
		Instant end = began.plusSeconds(this.plan.seconds());
		for (int n = 0; n < STEADY; n++) {
			call("steady-" + n, Operation.PUT, definition(began, end));
		}
		int changes = 0;
		while (Instant.now().isBefore(end)) {
			Operation operation = OPERATIONS.get(this.random.nextInt(OPERATIONS.size()));
			int number = this.random.nextInt(CHANGED);
			call((operation == Operation.PURGE) ? RecurringQueue.NAME
					: (operation == Operation.CANCEL_GROUP) ? group(number % GROUPS) : "changed-" + number, operation,
					(operation == Operation.PUT)
							? definition(Instant.ofEpochMilli(System.currentTimeMillis()), end.plus(Duration.ofDays(1)))
							: null);
			Duration third = Duration.between(began, end).dividedBy(PARTITIONS.size() + 1L);
			if (changes < PARTITIONS.size() && Instant.now().isAfter(began.plus(third.multipliedBy(changes + 1L)))) {
				changes += repartition(PARTITIONS.get(changes)) ? 1 : 0;
			}
			Faults.pause(this.random.nextInt(LONGEST_PAUSE_MILLIS));
		}
		for (int n = 0; n < CHANGED; n++) {
			call("changed-" + n, Operation.DELETE, null);
		}
	}

	private Definition definition(Instant now, Instant until) {
		int group = this.random.nextInt(2 * GROUPS);
		return new Definition(++this.versions, (group < GROUPS) ? group(group) : null,
				Duration.ofMillis(1000 + this.random.nextInt(2000)), now.plusMillis(this.random.nextInt(3000)), until,
				this.random.nextInt(5) == 0);
	}

	private static String group(int number) {
		return "r" + number;
	}

	private boolean repartition(int partitions) {
		try {
			return this.admin.repartition(RecurringQueue.NAME, partitions).partitions() == partitions;
		}
		catch (DelayQueueException away) {
			return false;
		}
	}

	private void call(String key, Operation operation, @Nullable Definition definition) {
		long called = System.currentTimeMillis();
		String answer = repeat(() -> switch (operation) {
			case PUT ->
				Boolean.toString(definition != null && this.schedules.createOrReplace(definition.of(key)) != null);
			case PAUSE -> Boolean.toString(this.schedules.pause(RecurringQueue.NAME, key));
			case RESUME -> Boolean.toString(this.schedules.resume(RecurringQueue.NAME, key));
			case DELETE -> Boolean.toString(this.schedules.delete(RecurringQueue.NAME, key));
			case RUN -> this.schedules.runNow(RecurringQueue.NAME, key).map(ScheduleResult::id).orElse("false");
			case PURGE -> Long.toString(this.admin.purge(key).waiting());
			case CANCEL_GROUP -> Long.toString(this.queues.cancelGroup(RecurringQueue.NAME, key).cancelled());
		});
		Call made = new Call(key, operation, definition, called, System.currentTimeMillis(), answer);
		this.calls.add(made);
		this.journal.add("recurring-call", key, 0, made);
	}

	private static String repeat(Supplier<String> call) {
		while (true) {
			try {
				return call.get();
			}
			catch (InvalidMessageException invalid) {
				// A schedule has no occurrences if its time has ended before it is stored
				throw invalid;
			}
			catch (DelayQueueException unknown) {
				Faults.pause(AFTER_FAILURE_MILLIS);
			}
		}
	}

}
