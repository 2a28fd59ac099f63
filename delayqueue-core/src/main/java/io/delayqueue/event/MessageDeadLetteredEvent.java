package io.delayqueue.event;

import io.delayqueue.admin.DeadLetter;
import org.jspecify.annotations.Nullable;

/**
 * A message was dead-lettered. If a reply of Redis was lost, this event may also be
 * published for a message that was cancelled at the same moment.
 *
 * @param queue the queue
 * @param id the message's id
 * @param group the group key, {@code null} if the message has none
 * @param reason the reason, as in {@link DeadLetter#reason()}
 * @param exception the class of the last exception, {@code null} if there was none
 * @param message the message of the last exception, or another explanation; cut at 500
 * characters
 */
public record MessageDeadLetteredEvent(String queue, String id, @Nullable String group, String reason,
		@Nullable String exception, String message) implements DelayQueueEvent {
}
