package io.delayqueue.store;

import io.delayqueue.queue.Partition;

/**
 * A partition that may have the message that a key means, and which message of the
 * partition is meant.
 *
 * @param partition the partition
 * @param id the id, and the group if the key has one
 * @param anyGroup whether a message of any group with this id is meant if the partition
 * has none without a group
 */
public record Candidate(Partition partition, StoredId id, boolean anyGroup) {
}
