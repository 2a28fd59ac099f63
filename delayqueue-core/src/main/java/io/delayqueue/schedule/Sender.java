package io.delayqueue.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.fleet.SweepNotifier;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueObserver.NotScheduled;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.CallRetry;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.Due;
import io.delayqueue.store.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;

/**
 * Sends messages to one partition and maps Redis's answers to results.
 */
final class Sender {

	private static final Set<Stored> STORED_NOW = EnumSet.of(Stored.CREATED, Stored.REPLACED, Stored.POSTPONED);

	private static final Set<Stored> KNOWN_BEFORE = EnumSet.of(Stored.DUPLICATE, Stored.DONE, Stored.DEAD);

	private final ScheduledMessages messages;

	private final QueueDirectory directory;

	private final SweepNotifier sweepNotifier;

	private final QueueObserver observer;

	private final CallCoalescer<Sent> callCoalescer = new CallCoalescer<>(this::sendTogether);

	Sender(ScheduledMessages messages, QueueDirectory directory, SweepNotifier sweepNotifier, QueueObserver observer) {
		this.messages = messages;
		this.directory = directory;
		this.sweepNotifier = sweepNotifier;
		this.observer = observer;
	}

	/**
	 * The answer to a message.
	 *
	 * @param answer Redis's answer
	 * @param drainingSinceMillis the time since when the partition accepts no messages,
	 * ms since 1970; 0 if it accepts them
	 */
	private record Sent(Answer answer, long drainingSinceMillis) {
	}

	/**
	 * Sends a message, together with messages that other threads send at that time.
	 * @param message the message
	 * @param attempts bounds the repetitions of the call
	 * @return the answer
	 */
	ScheduleAnswer send(OutgoingMessage message, CallRetry attempts) {
		try {
			Sent sent = attempts.call(() -> this.callCoalescer.send(message, attempts.deadlineNanos()));
			return answer(message, sent.answer(), sent.drainingSinceMillis());
		}
		catch (StoreException failed) {
			return failure(message, failed);
		}
	}

	private List<Sent> sendTogether(List<OutgoingMessage> batch) {
		Answers answers = schedule(batch);
		notify(batch, answers);
		return answers.answers().stream().map((answer) -> new Sent(answer, answers.drainingSinceMillis())).toList();
	}

	/**
	 * Sends a batch.
	 * @param batch messages of one partition, at most as many as one call may have
	 * @param attempts bounds the repetitions of the call
	 * @return one answer for each message
	 */
	List<ScheduleAnswer> send(List<OutgoingMessage> batch, CallRetry attempts) {
		try {
			return answers(batch, attempts.call(() -> schedule(batch)));
		}
		catch (StoreException failed) {
			return failures(batch, failed);
		}
	}

	/**
	 * Sends a batch without repeating the call.
	 * @param batch messages of one partition, at most as many as one call may have
	 * @param attempts counts this call
	 * @return one answer for each message; empty if there is none and {@link #send} may
	 * return them
	 */
	Optional<List<ScheduleAnswer>> sendOnce(List<OutgoingMessage> batch, CallRetry attempts) {
		try {
			return attempts.callOnce(() -> schedule(batch)).map((answers) -> answers(batch, answers));
		}
		catch (StoreException failed) {
			return Optional.of(failures(batch, failed));
		}
	}

	private Answers schedule(List<OutgoingMessage> batch) {
		QueueSettings settings = batch.get(0).settings();
		enter(settings);
		try {
			return schedule(settings, batch);
		}
		catch (StoreException refusal) {
			if (completeChange(settings, batch.get(0).partition(), refusal)) {
				return schedule(settings, batch);
			}
			throw refusal;
		}
	}

	/** Maps a certain failure: Redis has refused the messages. */
	private boolean completeChange(QueueSettings settings, Partition partition, StoreException refusal) {
		try {
			return this.directory.completeChange(settings, partition, refusal);
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
	}

	/** Maps a certain failure: no message has been sent yet. */
	private void enter(QueueSettings settings) {
		try {
			this.directory.enter(settings);
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
	}

	private Answers schedule(QueueSettings settings, List<OutgoingMessage> batch) {
		return this.messages.schedule(batch.get(0).partition(), settings,
				batch.stream().map(OutgoingMessage::message).toList());
	}

	private List<ScheduleAnswer> answers(List<OutgoingMessage> batch, Answers answers) {
		notify(batch, answers);
		List<ScheduleAnswer> results = new ArrayList<>(batch.size());
		for (int i = 0; i < batch.size(); i++) {
			results.add(answer(batch.get(i), answers.answers().get(i), answers.drainingSinceMillis()));
		}
		return results;
	}

	private List<ScheduleAnswer> failures(List<OutgoingMessage> batch, StoreException failed) {
		return batch.stream().map((outgoing) -> failure(outgoing, failed)).toList();
	}

	private void notify(List<OutgoingMessage> batch, Answers answers) {
		announce(batch.get(0).partition(), answers);
		if (answers.firstUse()) {
			this.directory.remember(batch.get(0).settings());
		}
	}

	private void announce(Partition partition, Answers answers) {
		if (answers.unparked() > 0) {
			this.sweepNotifier.due(partition, 0);
		}
		else if (answers.newHead()) {
			long first = answers.answers()
				.stream()
				.filter((answer) -> STORED_NOW.contains(answer.stored()))
				.mapToLong(Answer::dueMillis)
				.min()
				.orElse(0);
			this.sweepNotifier.due(partition, Due.leftNanos(first, answers.nowMicros()));
		}
	}

	private ScheduleAnswer answer(OutgoingMessage outgoing, Answer answer, long drainingSinceMillis) {
		DelayQueueException refusal = RefusalMapper.of(outgoing, answer.stored(), drainingSinceMillis);
		String queue = outgoing.settings().name();
		if (refusal != null) {
			this.observer.notScheduled(queue, NotScheduled.of(refusal));
			return new ScheduleAnswer(outgoing.id(), null, refusal);
		}
		ScheduleResult.Outcome outcome = outcome(answer.stored());
		this.observer.scheduled(queue, outcome);
		answer.dropped().forEach((id) -> this.observer.dropped(queue, String.valueOf(outgoing.message().group()), id));
		boolean known = !KNOWN_BEFORE.contains(answer.stored()) && answer.dueMillis() >= 0;
		ScheduleResult result = new ScheduleResult(queue, outgoing.id(), outcome,
				known ? Instant.ofEpochMilli(answer.dueMillis()) : null, answer.dropped());
		return new ScheduleAnswer(outgoing.id(), result, null);
	}

	private static ScheduleResult.Outcome outcome(Stored stored) {
		return switch (stored) {
			case CREATED, SUPERSEDED, ENDED -> ScheduleResult.Outcome.CREATED;
			case REPLACED -> ScheduleResult.Outcome.REPLACED;
			case POSTPONED -> ScheduleResult.Outcome.POSTPONED;
			case DUPLICATE -> ScheduleResult.Outcome.DUPLICATE;
			case DONE -> ScheduleResult.Outcome.DONE;
			case DEAD -> ScheduleResult.Outcome.DEAD_LETTER;
			default -> throw new IllegalStateException("Answer " + stored + " is not a result, which indicates a bug");
		};
	}

	private ScheduleAnswer failure(OutgoingMessage outgoing, StoreException failed) {
		String queue = outgoing.settings().name();
		DelayQueueException failure;
		if (failed.mayHaveRun()) {
			failure = new ScheduleOutcomeUnknownException(queue, outgoing.id(), failed);
		}
		else if (failed.kind() == FailureKind.REFUSED) {
			failure = new RedisRefusedException(String.valueOf(failed.getMessage()), queue, outgoing.id(), failed);
		}
		else {
			failure = new DelayQueueUnavailableException("Message '" + outgoing.id() + "' was not scheduled to queue '"
					+ queue + "', nothing is stored: " + failed.getMessage(), queue, outgoing.id(), failed);
		}
		this.observer.notScheduled(queue, NotScheduled.of(failure));
		return new ScheduleAnswer(outgoing.id(), null, failure);
	}

}
