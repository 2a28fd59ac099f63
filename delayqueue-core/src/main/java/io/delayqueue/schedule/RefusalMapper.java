package io.delayqueue.schedule;

import java.time.Instant;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.DurationText;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageState;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.store.NewMessage;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.jspecify.annotations.Nullable;

/**
 * Maps the answer of the script {@code schedule} to the exception for a caller whose
 * message was refused.
 */
final class RefusalMapper {

	private RefusalMapper() {
	}

	/**
	 * Maps the answer of the script {@code schedule} about one message.
	 * @param outgoing the message
	 * @param stored the answer of the script about this message
	 * @param drainingSinceMillis the time since which the partition of the message
	 * accepts no messages, ms since 1970
	 * @return the exception for the caller, {@code null} if the script has not refused
	 * the message
	 */
	static @Nullable DelayQueueException of(OutgoingMessage outgoing, Stored stored, long drainingSinceMillis) {
		NewMessage message = outgoing.message();
		String queue = outgoing.settings().name();
		boolean mustBeNew = message.onDuplicate() != null && message.onDuplicate().kind() == DuplicatePolicy.Kind.FAIL;
		return switch (stored) {
			case CREATED, REPLACED, POSTPONED, SUPERSEDED, ENDED, DUPLICATE, ELSEWHERE -> null;
			case DONE -> mustBeNew ? new DuplicateMessageException(queue, outgoing.id(), null) : null;
			case DEAD -> mustBeNew ? duplicate(outgoing, MessageState.DEAD) : null;
			case SCHEDULED -> duplicate(outgoing, MessageState.SCHEDULED);
			case PARKED -> duplicate(outgoing, MessageState.PARKED);
			case READY -> duplicate(outgoing, MessageState.READY);
			case PENDING -> duplicate(outgoing, MessageState.PENDING);
			case TOO_FAR -> new InvalidMessageException("dueAt", message.due().describe(), "at most "
					+ DurationText.of(outgoing.settings().maxDelay()) + " ahead (max-delay of queue '" + queue + "')");
			case EXPIRES -> new InvalidMessageException("expiresAt", message.expiry().describe(),
					"at or after the due time of the message, which is " + message.due().describe());
			case FULL ->
				new QuotaExceededException(queue, outgoing.id(), message.group(), outgoing.settings().groups().quota());
			case DRAINING ->
				new QueueDrainingException(queue, outgoing.id(), Instant.ofEpochMilli(drainingSinceMillis));
		};
	}

	private static DuplicateMessageException duplicate(OutgoingMessage outgoing, MessageState state) {
		return new DuplicateMessageException(outgoing.settings().name(), outgoing.id(), state);
	}

}
