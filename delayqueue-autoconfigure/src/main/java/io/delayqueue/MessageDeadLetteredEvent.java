package io.delayqueue;

import org.jspecify.annotations.Nullable;

/**
 * A message was set aside among the dead letters. Where the reply to that was lost, it
 * may also be told of a message that was cancelled at the same moment.
 *
 * @param queue the queue
 * @param id the message's id
 * @param reason a word for why, as in {@link DeadLetter#reason()}
 * @param exception the class of the last exception, {@code null} if there was none
 * @param message what the last exception said, or why otherwise; cut at 500 characters
 */
public record MessageDeadLetteredEvent(String queue, String id, String reason, @Nullable String exception,
		String message) implements DelayQueueEvent {
}
