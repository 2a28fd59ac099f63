package io.delayqueue;

import java.time.Instant;

/**
 * A message on a page of the messages of a group.
 *
 * @param id the message's id
 * @param dueAt the due time, by which the messages of the group are ordered; retries do
 * not change the due time
 * @param state the state at the moment of the call
 */
public record GroupMessage(String id, Instant dueAt, MessageState state) {
}
