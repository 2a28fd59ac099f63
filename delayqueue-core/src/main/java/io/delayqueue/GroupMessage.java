package io.delayqueue;

import java.time.Instant;

/**
 * A message in a list of the messages of a group.
 *
 * @param id the message's id
 * @param dueAt the due time, by which the group is ordered; retries do not change it
 * @param state the state at the moment of the call
 */
public record GroupMessage(String id, Instant dueAt, MessageState state) {
}
