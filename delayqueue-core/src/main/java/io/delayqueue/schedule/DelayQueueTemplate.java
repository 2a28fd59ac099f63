package io.delayqueue.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DurationText;
import io.delayqueue.GroupCancelResult;
import io.delayqueue.GroupPage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.Candidate;
import io.delayqueue.store.Due;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.KnownMessages.CancelAnswer;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.Found;
import io.delayqueue.store.KnownMessages.MoveAnswer;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.LastEnd;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.ScheduledMessages;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link DelayQueueOperations} with calls to Redis.
 *
 * <p>
 * A message is scheduled in these steps:
 * <ol>
 * <li>the template customizes and checks the request, converts the payload, and
 * determines the id and the partition;</li>
 * <li>one script stores the message; the template repeats a failed call with the same
 * call token until Redis answers or the deadline is near, and the script recognises the
 * repeated call by its token;</li>
 * <li>if the message is due before all other messages of its partition, {@link Wakeups}
 * notifies the process that will sweep the partition at its due time.</li>
 * </ol>
 */
public class DelayQueueTemplate implements DelayQueueOperations {

	private final Requests requests;

	private final RetryingCalls retryingCalls;

	private final KnownMessages messages;

	private final GroupCalls groups;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	private final Scheduling scheduling;

	/**
	 * Creates the operations of one process for producers.
	 * @param requests creates messages from requests
	 * @param calls the access to Redis
	 * @param retryingCalls repeats failed calls to Redis
	 * @param directory the directory of queues and their partition counts
	 * @param wakeups notifies the process that sweeps a partition if a new message is due
	 * before all other messages of the partition
	 * @param observer is notified of scheduled and cancelled messages
	 * @param tracing starts a span for each call that schedules
	 */
	public DelayQueueTemplate(Requests requests, RedisCalls calls, RetryingCalls retryingCalls,
			QueueDirectory directory, Wakeups wakeups, QueueObserver observer, MessageTracing tracing) {
		this.requests = requests;
		this.retryingCalls = retryingCalls;
		this.messages = new KnownMessages(calls, wakeups::removed);
		this.groups = new GroupCalls(requests, calls, retryingCalls, directory, wakeups);
		this.wakeups = wakeups;
		this.observer = observer;
		this.scheduling = new Scheduling(requests, retryingCalls,
				new Sender(new ScheduledMessages(calls, wakeups::removed), directory, retryingCalls.carrier(), wakeups,
						observer),
				tracing);
	}

	@Override
	public ScheduleResult schedule(ScheduleRequest request) {
		return this.scheduling.schedule(request);
	}

	/**
	 * Schedules one more occurrence of a recurring schedule, due at once.
	 * @param queue the queue
	 * @param content the content of the message
	 * @return the result
	 */
	public ScheduleResult schedule(String queue, Requests.Content content) {
		return this.scheduling.schedule(this.requests.outgoing(queue, content));
	}

	@Override
	public List<ScheduleAnswer> scheduleAll(Collection<ScheduleRequest> requests) {
		return this.scheduling.scheduleAll(requests);
	}

	@Override
	public String scheduleAfterCommit(ScheduleRequest request) {
		return this.scheduling.scheduleAfterCommit(request);
	}

	/**
	 * {@return the factory of calls that are prepared now and carried out later, for
	 * example by an outbox}
	 */
	public PreparedCalls prepared() {
		return new PreparedCalls(this);
	}

	Partition likeliest(MessageKey key) {
		return this.retryingCalls.likeliest(key, this.requests.settings(key.queue()));
	}

	Scheduling scheduling() {
		return this.scheduling;
	}

	@Override
	public CancelResult cancel(MessageKey key) {
		return cancel(key, CallToken.next());
	}

	CancelResult cancel(MessageKey key, String token) {
		QueueSettings settings = this.requests.settings(key.queue());
		CancelAnswer cancelled = this.retryingCalls.call(key, settings,
				(answer) -> answer.cancelled() != Cancelled.NONE && answer.cancelled() != Cancelled.ELSEWHERE,
				(answer) -> answer.cancelled() == Cancelled.ELSEWHERE, (candidate) -> {
					CancelAnswer answer = this.messages.cancel(candidate, token, settings.doneWindowOfGenerated());
					sweepIfAny(candidate.partition(), answer.unparked());
					return answer;
				});
		CancelResult result = switch (cancelled.cancelled()) {
			case CANCELLED -> CancelResult.CANCELLED;
			case IN_FLIGHT -> CancelResult.IN_FLIGHT;
			case DEAD -> CancelResult.DEAD_LETTER;
			case NONE, ELSEWHERE -> CancelResult.NOT_FOUND;
		};
		this.observer.cancelled(key.queue(), result);
		return result;
	}

	@Override
	public RescheduleResult reschedule(MessageKey key, Duration delay) {
		return reschedule(key, checked(key, delay), CallToken.next());
	}

	@Override
	public RescheduleResult reschedule(MessageKey key, Instant dueAt) {
		return reschedule(key, checked(key, dueAt), CallToken.next());
	}

	Due checked(MessageKey key, Instant dueAt) {
		return Due.at(ScheduleRequest.to(key.queue()).dueAt(dueAt).dueAt().orElseThrow());
	}

	Due checked(MessageKey key, Duration delay) {
		Duration checked = ScheduleRequest.to(key.queue()).delay(delay).delay().orElseThrow();
		QueueSettings settings = this.requests.settings(key.queue());
		if (checked.compareTo(settings.maxDelay()) > 0) {
			throw tooFar("delay", DurationText.of(checked), settings);
		}
		return Due.in(checked);
	}

	@Override
	public Optional<MessageSnapshot> find(MessageKey key) {
		LastEnd end = new LastEnd();
		return this.retryingCalls
			.call(key, this.requests.settings(key.queue()), (answer) -> answer.snapshot().isPresent(),
					Lookup::elsewhere, (candidate) -> lookUp(candidate, end))
			.snapshot()
			.or(end::snapshot);
	}

	/** The answer of one partition to the search for a message. */
	private record Lookup(Optional<MessageSnapshot> snapshot, boolean elsewhere) {
	}

	private Lookup lookUp(Candidate candidate, LastEnd end) {
		Found found = this.messages.find(candidate);
		end.add(found.ended());
		return new Lookup(Optional.ofNullable(found.message()).map(KnownMessages::snapshot), found.elsewhere());
	}

	@Override
	public long countGroup(String queue, String group) {
		return this.groups.count(queue, group);
	}

	@Override
	public GroupPage listGroup(String queue, String group, @Nullable String cursor, int limit) {
		return this.groups.list(queue, group, cursor, limit);
	}

	@Override
	public GroupCancelResult cancelGroup(String queue, String group) {
		return this.groups.cancel(queue, group);
	}

	RescheduleResult reschedule(MessageKey key, Due due, String token) {
		QueueSettings settings = this.requests.settings(key.queue());
		MoveAnswer answer = this.retryingCalls.call(key, settings,
				(move) -> move.moved() != Moved.NONE && move.moved() != Moved.ELSEWHERE,
				(move) -> move.moved() == Moved.ELSEWHERE, (candidate) -> {
					Partition partition = candidate.partition();
					MoveAnswer move = this.messages.reschedule(candidate, due, settings.maxDelay(), token,
							settings.doneWindowOfGenerated());
					sweepIfAny(partition, move.unparked());
					if (move.newHead()) {
						this.wakeups.due(partition, Due.leftNanos(move.dueMillis(), move.nowMicros()));
					}
					return move;
				});
		return switch (answer.moved()) {
			case RESCHEDULED -> RescheduleResult.RESCHEDULED;
			case IN_FLIGHT -> RescheduleResult.IN_FLIGHT;
			case DEAD -> RescheduleResult.DEAD_LETTER;
			case NONE, ELSEWHERE -> RescheduleResult.NOT_FOUND;
			case TOO_FAR -> throw tooFar("dueAt", due.describe(), settings);
			case EXPIRES -> throw new InvalidMessageException("dueAt", due.describe(),
					"at or before the expiry of the message, which is fixed; cancel it and schedule it anew");
		};
	}

	/**
	 * Notifies the process that sweeps a partition if a call has unparked messages,
	 * because they may be due.
	 */
	private void sweepIfAny(Partition partition, long unparked) {
		if (unparked > 0) {
			this.wakeups.due(partition, 0);
		}
	}

	private static InvalidMessageException tooFar(String field, String value, QueueSettings settings) {
		return new InvalidMessageException(field, value, "at most " + DurationText.of(settings.maxDelay())
				+ " ahead (max-delay of queue '" + settings.name() + "')");
	}

}
