package io.delayqueue.sample.timeline;

import java.time.Instant;

/**
 * An entry of a timeline.
 *
 * @param msgId the id of the entry
 * @param deliveredAt when the entry was delivered, by the clock of Redis
 */
record TimelineEntry(long msgId, Instant deliveredAt) {

}
