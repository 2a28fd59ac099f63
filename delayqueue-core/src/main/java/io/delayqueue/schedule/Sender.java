package io.delayqueue.schedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueObserver.NotScheduled;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.CallRetry;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.DeadLetterCarrier;
import io.delayqueue.store.Due;
import io.delayqueue.store.NewMessage;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sends the messages of callers to the partitions in Redis that store the messages, and
 * maps the answers of the scripts to results for the callers.
 */
final class Sender {

	private static final Log logger = LogFactory.getLog(Sender.class);

	private static final Set<Stored> STORED_NOW = EnumSet.of(Stored.CREATED, Stored.REPLACED, Stored.POSTPONED);

	private static final Set<Stored> KNOWN_BEFORE = EnumSet.of(Stored.DUPLICATE, Stored.DONE, Stored.DEAD);

	private final ScheduledMessages messages;

	private final QueueDirectory directory;

	private final DeadLetterCarrier carrier;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	private final CallCoalescer<Sent> callCoalescer = new CallCoalescer<>(this::sendTogether);

	Sender(ScheduledMessages messages, QueueDirectory directory, DeadLetterCarrier carrier, Wakeups wakeups,
			QueueObserver observer) {
		this.messages = messages;
		this.directory = directory;
		this.carrier = carrier;
		this.wakeups = wakeups;
		this.observer = observer;
	}

	/**
	 * The answer of Redis about a message that was sent.
	 *
	 * @param answer the answer of the script {@code schedule}
	 * @param drainingSinceMillis the time since which the partition accepts no messages,
	 * ms since 1970; 0 if the partition accepts messages
	 */
	private record Sent(Answer answer, long drainingSinceMillis) {
	}

	/**
	 * Sends a message to Redis, possibly in one call with messages that other threads
	 * send at the same time.
	 * @param message the message
	 * @param attempts limits the repetitions of a failed call
	 * @return the answer for the caller
	 */
	ScheduleAnswer send(OutgoingMessage message, CallRetry attempts) {
		try {
			OutgoingMessage asked = message;
			while (true) {
				OutgoingMessage sending = asked;
				Sent sent = attempts.call(() -> this.callCoalescer.send(sending, attempts.deadlineNanos()));
				ScheduleAnswer answer = answer(sending, sent.answer(), sent.drainingSinceMillis());
				if (answer != null) {
					return answer;
				}
				asked = next(sending, attempts);
			}
		}
		catch (StoreException failed) {
			return failure(message, failed);
		}
	}

	/**
	 * Returns the message with the next partition to try, after a partition has answered
	 * that the message belongs to another partition.
	 * @throws StoreException if the epochs (partition counts of the queue) cannot be read
	 */
	OutgoingMessage next(OutgoingMessage asked, CallRetry attempts) {
		return attempts.call(() -> {
			try {
				return asked.next(this.directory.register(asked.settings()))
					.or(() -> asked.next(this.directory.refreshFrom(asked.partition())))
					// No newer epoch exists: a failover of Redis has undone the change of
					// the partition count, so try the same partition again
					.orElse(asked);
			}
			catch (StoreException failure) {
				throw failure.asNotExecuted();
			}
		});
	}

	/**
	 * Registers the queues of messages that this process uses for the first time, with a
	 * few calls for all of them. A queue that cannot be registered here is registered
	 * when its first message is sent, which reports the failure.
	 * @param messages the messages
	 * @param attempts limits the time; no failed call is repeated
	 */
	void registerAll(List<OutgoingMessage> messages, CallRetry attempts) {
		List<QueueSettings> all = messages.stream()
			.map(OutgoingMessage::settings)
			.filter((settings) -> this.directory.isNew(settings.name()))
			.distinct()
			.toList();
		boolean isReachable = all.size() > 1;
		for (int from = 0; from < all.size() && isReachable && !attempts.isOver(); from += QueueDirectory.MOST) {
			List<QueueSettings> some = all.subList(from, Math.min(all.size(), from + QueueDirectory.MOST));
			try {
				isReachable = attempts.ofAnother(true).callOnce(() -> this.directory.registerAll(some)).isPresent();
			}
			catch (StoreException refused) {
				logger.debug("Redis refuses to register " + some.size() + " queues in one call", refused);
			}
		}
	}

	/**
	 * Registers queues again, if their keys were removed, with a few calls for all of
	 * them.
	 * @param queues queues with a partition that was used for the first time
	 */
	void registerAgain(Collection<QueueSettings> queues) {
		this.directory.registerAgain(queues);
	}

	private List<Sent> sendTogether(List<OutgoingMessage> batch) {
		Answers answers = schedule(batch);
		Set<QueueSettings> firstUsed = new HashSet<>();
		announce(batch, answers, firstUsed);
		registerAgain(firstUsed);
		return answers.answers().stream().map((answer) -> new Sent(answer, answers.drainingSinceMillis())).toList();
	}

	/**
	 * Sends messages of one partition in one call, and repeats the call if it fails.
	 * @param batch messages of one partition, at most as many as one call may have
	 * @param attempts limits the repetitions of the call
	 * @param firstUsed receives the queue if its partition was used for the first time
	 * @return one answer for each message, {@code null} if the message belongs to another
	 * partition
	 */
	List<@Nullable ScheduleAnswer> send(List<OutgoingMessage> batch, CallRetry attempts, Set<QueueSettings> firstUsed) {
		try {
			return answers(batch, attempts.call(() -> schedule(batch)), firstUsed);
		}
		catch (StoreException failed) {
			return failures(batch, failed);
		}
	}

	/**
	 * Sends messages of one partition in one call, without repeating a failed call.
	 * @param batch messages of one partition, at most as many as one call may have
	 * @param attempts counts the call
	 * @param firstUsed receives the queue if its partition was used for the first time
	 * @return the answers, as {@link #send} returns them; empty if the call has failed
	 * and may be repeated
	 */
	Optional<List<@Nullable ScheduleAnswer>> sendOnce(List<OutgoingMessage> batch, CallRetry attempts,
			Set<QueueSettings> firstUsed) {
		try {
			return attempts.callOnce(() -> schedule(batch)).map((answers) -> answers(batch, answers, firstUsed));
		}
		catch (StoreException failed) {
			return Optional.of(failures(batch, failed));
		}
	}

	private Answers schedule(List<OutgoingMessage> batch) {
		QueueSettings settings = batch.get(0).settings();
		Partition partition = batch.get(0).partition();
		Epochs epochs = register(settings);
		List<NewMessage> here = batch.stream()
			.filter((message) -> message.isIn(epochs))
			.map(OutgoingMessage::message)
			.toList();
		if (here.size() == batch.size()) {
			return schedule(partition, epochs, settings, here);
		}
		// Some messages were assigned to a partition before this process had read the
		// current epochs (partition counts) from Redis: answer that they belong to
		// another partition, so that the caller determines their partition again
		Answers answers = here.isEmpty() ? new Answers(0, false, false, 0, 0, List.of())
				: schedule(partition, epochs, settings, here);
		Iterator<Answer> answersHere = answers.answers().iterator();
		return new Answers(answers.nowMicros(), answers.newHead(), answers.firstUse(), answers.drainingSinceMillis(),
				answers.unparked(),
				batch.stream()
					.map((message) -> message.isIn(epochs) ? answersHere.next()
							: new Answer(Stored.ELSEWHERE, 0, List.of()))
					.toList());
	}

	private Answers schedule(Partition partition, Epochs epochs, QueueSettings settings, List<NewMessage> here) {
		return this.carrier.call(partition, here.stream().map(NewMessage::storedId).toList(),
				(ids) -> this.messages.schedule(partition, epochs, settings, here));
	}

	/**
	 * Registers the queue in Redis before messages are sent. If the registration fails,
	 * the exception for the caller states that no message was stored.
	 */
	private Epochs register(QueueSettings settings) {
		try {
			return this.directory.register(settings);
		}
		catch (StoreException failure) {
			throw failure.asNotExecuted();
		}
	}

	private List<@Nullable ScheduleAnswer> answers(List<OutgoingMessage> batch, Answers answers,
			Set<QueueSettings> firstUsed) {
		announce(batch, answers, firstUsed);
		List<@Nullable ScheduleAnswer> results = new ArrayList<>(batch.size());
		for (int i = 0; i < batch.size(); i++) {
			results.add(answer(batch.get(i), answers.answers().get(i), answers.drainingSinceMillis()));
		}
		return results;
	}

	private List<@Nullable ScheduleAnswer> failures(List<OutgoingMessage> batch, StoreException failed) {
		return batch.stream().<@Nullable ScheduleAnswer>map((outgoing) -> failure(outgoing, failed)).toList();
	}

	private void announce(List<OutgoingMessage> batch, Answers answers, Set<QueueSettings> firstUsed) {
		Partition partition = batch.get(0).partition();
		if (answers.firstUse()) {
			firstUsed.add(batch.get(0).settings());
		}
		if (answers.unparked() > 0) {
			this.wakeups.due(partition, 0);
		}
		else if (answers.newHead()) {
			long first = answers.answers()
				.stream()
				.filter((answer) -> STORED_NOW.contains(answer.stored()))
				.mapToLong(Answer::dueMillis)
				.min()
				.orElse(0);
			this.wakeups.due(partition, Due.leftNanos(first, answers.nowMicros()));
		}
	}

	private @Nullable ScheduleAnswer answer(OutgoingMessage outgoing, Answer answer, long drainingSinceMillis) {
		if (answer.stored() == Stored.ELSEWHERE) {
			return null;
		}
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

	/**
	 * Returns the answer for the caller about a message that was not sent, or whose call
	 * to Redis has failed.
	 */
	ScheduleAnswer failure(OutgoingMessage outgoing, StoreException failed) {
		String queue = outgoing.settings().name();
		DelayQueueException failure;
		if (failed.mayHaveRun()) {
			failure = new ScheduleOutcomeUnknownException(queue, outgoing.id(), failed);
		}
		else if (failed.kind() == FailureKind.REFUSED) {
			failure = new RedisRefusedException(String.valueOf(failed.getMessage()), queue, outgoing.id(), failed);
		}
		else {
			failure = new DelayQueueUnavailableException("Message " + outgoing.message().storedId()
					+ " was not scheduled to queue '" + queue + "'; nothing is stored: " + failed.getMessage(), queue,
					outgoing.id(), failed);
		}
		this.observer.notScheduled(queue, NotScheduled.of(failure));
		return new ScheduleAnswer(outgoing.id(), null, failure);
	}

}
