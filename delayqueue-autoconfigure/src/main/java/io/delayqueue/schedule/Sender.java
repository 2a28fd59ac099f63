package io.delayqueue.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Attempts;
import io.delayqueue.store.Partition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import io.delayqueue.store.StoreException;

/**
 * Sends messages to one partition and turns Redis's answers into the caller's.
 */
final class Sender {

	private final ScheduledMessages messages;

	private final QueueDirectory directory;

	private final NewHeads newHeads;

	private final QueueObserver observer;

	Sender(ScheduledMessages messages, QueueDirectory directory, NewHeads newHeads, QueueObserver observer) {
		this.messages = messages;
		this.directory = directory;
		this.newHeads = newHeads;
		this.observer = observer;
	}

	/**
	 * Sends a batch.
	 * @param batch messages of one partition, as many as one call may have
	 * @param attempts how long to repeat the call
	 * @return one answer for each
	 */
	List<ScheduleAnswer> send(List<Outgoing> batch, Attempts attempts) {
		try {
			return answers(batch, attempts.call(() -> schedule(batch)));
		}
		catch (Attempts.Failed failed) {
			return failures(batch, failed);
		}
	}

	/**
	 * Sends a batch once.
	 * @param batch messages of one partition, as many as one call may have
	 * @param attempts begins with this one
	 * @return one answer for each; empty if {@link #send} may bring them
	 */
	Optional<List<ScheduleAnswer>> sendOnce(List<Outgoing> batch, Attempts attempts) {
		try {
			return attempts.callOnce(() -> schedule(batch)).map((answers) -> answers(batch, answers));
		}
		catch (Attempts.Failed failed) {
			return Optional.of(failures(batch, failed));
		}
	}

	private Answers schedule(List<Outgoing> batch) {
		QueueSettings settings = batch.get(0).settings();
		enter(settings);
		try {
			return schedule(settings, batch);
		}
		catch (StoreException refusal) {
			if (this.directory.mend(settings, batch.get(0).partition(), refusal)) {
				return schedule(settings, batch);
			}
			throw refusal;
		}
	}

	/** Whatever becomes of this, no message has been sent yet. */
	private void enter(QueueSettings settings) {
		try {
			this.directory.enter(settings);
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
	}

	private Answers schedule(QueueSettings settings, List<Outgoing> batch) {
		return this.messages.schedule(batch.get(0).partition(), settings.partitions(), settings.maxDelay(),
				batch.stream().map(Outgoing::message).toList());
	}

	private List<ScheduleAnswer> answers(List<Outgoing> batch, Answers answers) {
		announce(batch.get(0).partition(), answers);
		if (answers.firstUse()) {
			this.directory.remember(batch.get(0).settings());
		}
		List<ScheduleAnswer> results = new ArrayList<>(batch.size());
		for (int i = 0; i < batch.size(); i++) {
			results.add(answer(batch.get(i), answers.answers().get(i), answers.drainingSinceMillis()));
		}
		return results;
	}

	private List<ScheduleAnswer> failures(List<Outgoing> batch, Attempts.Failed failed) {
		return batch.stream().map((outgoing) -> failure(outgoing, failed)).toList();
	}

	private void announce(Partition partition, Answers answers) {
		if (answers.newHead()) {
			long first = answers.answers()
				.stream()
				.filter((answer) -> answer.stored() == Stored.CREATED)
				.mapToLong(Answer::dueMillis)
				.min()
				.orElse(0);
			this.newHeads.announce(partition, first, answers.nowMicros());
		}
	}

	private ScheduleAnswer answer(Outgoing outgoing, Answer answer, long drainingSinceMillis) {
		ScheduleResult.Outcome outcome = switch (answer.stored()) {
			case CREATED, SUPERSEDED, ENDED -> ScheduleResult.Outcome.CREATED;
			case DUPLICATE -> ScheduleResult.Outcome.DUPLICATE;
			case DONE -> ScheduleResult.Outcome.DONE;
			case DEAD -> ScheduleResult.Outcome.DEAD_LETTER;
			case TOO_FAR, DRAINING -> null;
		};
		if (outcome == null) {
			this.observer.notScheduled(outgoing.settings().name(), false);
			return new ScheduleAnswer(outgoing.id(), null,
					(answer.stored() == Stored.DRAINING) ? new QueueDrainingException(outgoing.settings().name(),
							outgoing.id(), Instant.ofEpochMilli(drainingSinceMillis)) : tooFar(outgoing));
		}
		this.observer.scheduled(outgoing.settings().name(), outcome);
		boolean known = outcome == ScheduleResult.Outcome.CREATED && answer.dueMillis() >= 0;
		return new ScheduleAnswer(outgoing.id(), new ScheduleResult(outgoing.settings().name(), outgoing.id(), outcome,
				known ? Instant.ofEpochMilli(answer.dueMillis()) : null), null);
	}

	private static InvalidMessageException tooFar(Outgoing outgoing) {
		return new InvalidMessageException("dueAt", outgoing.message().due().toString(), "at most "
				+ outgoing.settings().maxDelay() + " ahead (max-delay of queue '" + outgoing.settings().name() + "')");
	}

	private ScheduleAnswer failure(Outgoing outgoing, Attempts.Failed failed) {
		String queue = outgoing.settings().name();
		this.observer.notScheduled(queue, failed.mayHaveRun());
		DelayQueueException failure;
		if (failed.mayHaveRun()) {
			failure = new ScheduleOutcomeUnknownException(queue, outgoing.id(), failed.last());
		}
		else if (failed.isRefused()) {
			failure = new RedisRefusedException(failed.reason(), queue, outgoing.id(), failed.last());
		}
		else {
			failure = new DelayQueueUnavailableException("Message '" + outgoing.id() + "' was not scheduled to queue '"
					+ queue + "', nothing is stored: " + failed.reason(), queue, outgoing.id(), failed.last());
		}
		return new ScheduleAnswer(outgoing.id(), null, failure);
	}

}
