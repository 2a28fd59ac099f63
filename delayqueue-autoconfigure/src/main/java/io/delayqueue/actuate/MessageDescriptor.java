package io.delayqueue.actuate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.MessageEnd;
import io.delayqueue.MessageState;
import io.delayqueue.queue.ProcessName;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.store.History.Ended;
import io.delayqueue.store.KnownMessages.FoundMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * One message in a response of the endpoint.
 *
 * @param queue the message's queue
 * @param id the message's id
 * @param group the group key, {@code null} if the message has none
 * @param partition the number of the message's partition in its epoch
 * @param epoch the number of the partition's epoch, as in {@link QueueDescriptor}
 * @param state the message's state
 * @param dueAt the due time, {@code null} if the message's record cannot be read
 * @param nextAttemptAt the time of the next delivery of a scheduled message
 * @param readyAt the time at which a ready or pending message became ready
 * @param diedAt the time at which a dead message was dead-lettered
 * @param consumer the process that has a pending message
 * @param idleMillis for how long the consumer has not renewed the lease of the message,
 * ms
 * @param attempts the number of deliveries that have failed so far
 * @param failures the number of failed deliveries that ended with an exception
 * @param crashes the number of failed deliveries that ended because their consumer
 * stopped renewing the lease
 * @param defers how often the handler has deferred the message
 * @param lastFailure why the last delivery failed, {@code null} if no delivery has failed
 * @param headers the headers, with asterisks for the values that are hidden
 * @param payload the payload, {@code null} if the message's record cannot be read
 * @param unreadable why the message's record cannot be read, {@code null} if the record
 * can be read
 * @param end how the message has ended, {@code null} unless the state is
 * {@code FINISHED}: of a finished message only its end, group, attempts and last failure
 * are known
 * @param maxAttempts the number of failed attempts after which the message is
 * dead-lettered, by the settings of the message and of the process that responds;
 * {@code null} if the message's record cannot be read, or has ended
 * @param retries when the attempts after the next one would begin if each attempt failed
 * at once, at most ten, without jitter; {@code null} unless the message is scheduled and
 * may be attempted more than once
 * @param createdAt when the message was created, by the clock of the process that created
 * it; {@code null} unless the queue keeps a history, and for occurrences of recurring
 * schedules
 * @param createdBy the name of the process that created the message
 */
record MessageDescriptor(String queue, String id, @Nullable String group, int partition, int epoch, MessageState state,
		@Nullable Instant dueAt, @Nullable Instant nextAttemptAt, @Nullable Instant readyAt, @Nullable Instant diedAt,
		@Nullable String consumer, @Nullable Long idleMillis, int attempts, int failures, int crashes, int defers,
		@Nullable Failure lastFailure, Map<String, String> headers, @Nullable Payload payload,
		@Nullable String unreadable, @Nullable End end, @Nullable Integer maxAttempts, @Nullable List<Instant> retries,
		@Nullable Instant createdAt, @Nullable String createdBy) implements OperationResponseBody {

	private static final int MOST_RETRIES = 10;

	/**
	 * Why the last delivery of a message failed.
	 *
	 * @param reason the reason, as in {@link io.delayqueue.admin.DeadLetter#reason()}
	 * @param exception the class of the exception, {@code null} if the handler threw none
	 * @param message the message of the exception, or a description of another reason;
	 * asterisks if the text is hidden
	 * @param at when the handler of that attempt ended, {@code null} if this is unknown:
	 * no handler ran, or the history has cut the failure
	 * @param process the process of the handler
	 * @param tookMillis for how long the handler ran, ms
	 * @param stack the beginning of the stack trace, {@code null} if the queue keeps no
	 * stack traces, and in lists; asterisks if the text is hidden
	 */
	public record Failure(String reason, @Nullable String exception, String message, @Nullable Instant at,
			@Nullable String process, @Nullable Long tookMillis, @Nullable String stack) {
	}

	/**
	 * How a message has ended.
	 *
	 * @param how how the message has ended
	 * @param at when the message has ended
	 * @param where the process that ended the message
	 * @param tookMillis for how long the handler of the last attempt ran, ms;
	 * {@code null} if no handler ended the message
	 */
	public record End(MessageEnd.How how, Instant at, String where, @Nullable Long tookMillis) {

		static End of(MessageEnd end) {
			return new End(end.how(), end.at(), end.where(), (end.took() != null) ? end.took().toMillis() : null);
		}

	}

	/**
	 * The payload of a message.
	 *
	 * @param size the size of the payload, bytes
	 * @param hidden why the payload is not shown: {@code not-allowed}, {@code masked} or
	 * {@code mask-failed}; {@code null} if the payload is shown
	 * @param encoding the encoding of {@code content}: {@code text}, or {@code base64} if
	 * the payload is not well-formed UTF-8; {@code null} if the payload is hidden
	 * @param content the shown part of the payload, {@code null} if the payload is hidden
	 * @param truncated whether only a part of the payload is shown
	 */
	public record Payload(long size, @Nullable String hidden, @Nullable String encoding, @Nullable String content,
			boolean truncated) {

		static Payload hidden(long size, String why) {
			return new Payload(size, why, null, null, false);
		}

	}

	static MessageDescriptor of(FoundMessage found, MaskedContent contents, boolean payloadShown, Queues queues) {
		MessageRecord message = null;
		String unreadable = null;
		try {
			message = found.message();
		}
		catch (UnreadableRecordException problem) {
			unreadable = problem.getMessage();
		}
		String queue = found.partition().queue();
		Envelope envelope = (message != null) ? message.envelope() : null;
		Envelope.Creation created = (envelope != null) ? envelope.created() : null;
		RetrySettings retry = (envelope != null) ? queues.settings(queue).retry().with(envelope.retry()) : null;
		MessageState state = found.state();
		boolean pending = state == MessageState.PENDING;
		FailureRecord failure = found.failure();
		Instant place = (found.placeMillis() >= 0) ? Instant.ofEpochMilli(found.placeMillis()) : null;
		Instant due = (message != null) ? Instant.ofEpochMilli(message.dueMillis()) : null;
		return new MessageDescriptor(queue, found.id(), found.group(), found.partition().number(),
				found.partition().epoch(), state, due,
				(state == MessageState.SCHEDULED) ? ((place != null) ? place : due) : null,
				(pending || state == MessageState.READY) ? Instant.ofEpochMilli(found.readyMillis()) : null,
				(state == MessageState.DEAD) ? place : null,
				(pending && found.consumer() != null) ? ProcessName.ofConsumer(found.consumer()) : null,
				pending ? found.idleMillis() : null, failure.attempts(), failure.failures(), failure.crashes(),
				failure.defers(), contents.failureWithStack(queue, found.id(), failure),
				(envelope != null) ? contents.headers(queue, found.id(), envelope.headers()) : Map.of(),
				(envelope != null) ? contents.payload(queue, found.id(), envelope.payload(), payloadShown) : null,
				unreadable, null, (retry != null) ? retry.maxAttempts() : null,
				(retry != null && state == MessageState.SCHEDULED) ? retries(found, retry) : null,
				(created != null) ? created.at() : null, (created != null) ? created.by() : null);
	}

	/** Computes when the attempts after the next one would begin. */
	private static @Nullable List<Instant> retries(FoundMessage found, RetrySettings retry) {
		BackOffPolicy backOff = retry.backOff().withJitter(0);
		Instant at = Instant.ofEpochMilli(found.nextAttemptMillis());
		List<Instant> retries = new ArrayList<>();
		for (int failures = found.failure().failures() + 1; failures < retry.maxAttempts()
				&& retries.size() < MOST_RETRIES; failures++) {
			at = at.plus(backOff.waitAfter(failures));
			retries.add(at);
		}
		return retries.isEmpty() ? null : retries;
	}

	static MessageDescriptor of(Ended ended, MaskedContent contents) {
		return new MessageDescriptor(ended.partition().queue(), ended.id(), ended.group(), ended.partition().number(),
				ended.partition().epoch(), MessageState.FINISHED, null, null, null, null, null, null, ended.attempts(),
				0, 0, 0, contents.failure(ended.partition().queue(), ended.id(), ended.failure()), Map.of(), null, null,
				End.of(ended.end()), null, null, null, null);
	}

}
