package io.delayqueue.soak;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.soak.Call.Answer;
import io.delayqueue.soak.Call.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Calls the library and records each call with its answer. Safe for use by several
 * threads.
 */
final class Caller {

	/** The limit is short, so that some calls of a series reach it. */
	private static final Duration LIMIT_OF_POSTPONE = Duration.ofSeconds(4);

	private final DelayQueueOperations queues;

	private final Writer journal;

	private final AtomicInteger numbers = new AtomicInteger();

	private final Queue<Call> calls = new ConcurrentLinkedQueue<>();

	Caller(DelayQueueOperations queues, Writer journal) {
		this.queues = queues;
		this.journal = journal;
	}

	/** The calls made so far. */
	List<Call> calls() {
		return List.copyOf(this.calls);
	}

	/**
	 * A requested due time.
	 *
	 * @param fromNow whether it counts from the time when Redis executes the call
	 * @param millis ms since 1970, or from now
	 */
	record Due(boolean fromNow, long millis) {

		static final Due NONE = new Due(false, 0);

		private ScheduleRequest of(ScheduleRequest request) {
			return this.fromNow ? request.delay(Duration.ofMillis(this.millis))
					: request.dueAt(Instant.ofEpochMilli(this.millis));
		}

	}

	/** The outcome of a call. */
	private record Outcome(String id, Answer answer, @Nullable Instant due) {
	}

	/**
	 * Calls and waits for the answer.
	 * @param operation the operation
	 * @param id the id of the message, empty for a generated one
	 * @param kind the behaviour of its handler
	 * @param due the due time, if the operation has one
	 * @return the call
	 */
	Call call(Operation operation, String id, char kind, Due due) {
		int number = this.numbers.incrementAndGet();
		String payload = kind + "-" + number;
		long called = micros();
		Outcome outcome;
		try {
			outcome = switch (operation) {
				case SCHEDULE, KEEP, FAIL, REPLACE, POSTPONE -> schedule(operation, id, payload, due);
				case CANCEL -> new Outcome(id, answer(this.queues.cancel(SoakPlan.QUEUE, id)), null);
				case RESCHEDULE -> new Outcome(id, reschedule(id, due), null);
				case FIND -> find(id);
			};
		}
		catch (DelayQueueException ex) {
			Answer answer = operation.stores() && !(ex instanceof ScheduleOutcomeUnknownException) ? Answer.NOT_ACCEPTED
					: Answer.UNKNOWN;
			outcome = new Outcome(Objects.requireNonNullElse(ex.messageId(), payload), answer, null);
		}
		Call call = new Call(number, outcome.id(), kind, operation, due.fromNow(), due.millis(), called, micros(),
				outcome.answer(), (outcome.due() != null) ? outcome.due().toEpochMilli() : 0);
		this.calls.add(call);
		this.journal.add("answered", call.id(), 0, call);
		return call;
	}

	private Outcome schedule(Operation operation, String id, String payload, Due due) {
		ScheduleRequest request = due.of(ScheduleRequest.to(SoakPlan.QUEUE).payload(payload));
		if (!id.isEmpty()) {
			request = request.id(id).onDuplicate(switch (operation) {
				case FAIL -> DuplicatePolicy.fail();
				case REPLACE -> DuplicatePolicy.replace();
				case POSTPONE -> DuplicatePolicy.postpone(LIMIT_OF_POSTPONE);
				default -> DuplicatePolicy.keep();
			});
		}
		try {
			ScheduleResult result = this.queues.schedule(request);
			return new Outcome(result.id(), Answer.valueOf(result.outcome().name()), result.dueAt());
		}
		catch (DuplicateMessageException known) {
			return new Outcome(id, known.state().map(Caller::known).orElse(Answer.DONE), null);
		}
	}

	private static Answer known(MessageState state) {
		return (state == MessageState.DEAD) ? Answer.DEAD_LETTER : Answer.DUPLICATE;
	}

	private static Answer answer(CancelResult result) {
		return Answer.valueOf(result.name());
	}

	private Answer reschedule(String id, Due due) {
		RescheduleResult result = due.fromNow()
				? this.queues.reschedule(SoakPlan.QUEUE, id, Duration.ofMillis(due.millis()))
				: this.queues.reschedule(SoakPlan.QUEUE, id, Instant.ofEpochMilli(due.millis()));
		return Answer.valueOf(result.name());
	}

	private Outcome find(String id) {
		MessageSnapshot found = this.queues.find(SoakPlan.QUEUE, id).orElse(null);
		return (found == null) ? new Outcome(id, Answer.NOT_FOUND, null)
				: new Outcome(id, Answer.valueOf(found.state().name()), found.dueAt());
	}

	private static long micros() {
		Instant now = Instant.now();
		return TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + now.getNano() / 1000;
	}

}
