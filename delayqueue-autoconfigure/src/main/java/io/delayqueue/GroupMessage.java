package io.delayqueue;

import java.time.Instant;

/**
 * A message of a group that is listed.
 *
 * @param id the message's id
 * @param dueAt when it is due; the group is ordered by it, whatever retries follow
 * @param state where it is at this moment
 */
public record GroupMessage(String id, Instant dueAt, MessageState state) {
}
